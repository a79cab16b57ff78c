"""Litmus tests: functions ``p0``, ``p1``, … of a C text, each run once by a thread of its own."""

from __future__ import annotations

from pathlib import Path

from heapstory._core import Interleaver
from heapstory.linear.ir import instructions as op
from heapstory.linear.ir.emitter import Emitter
from heapstory.linear.ir.harness import NUMBER, READ
from heapstory.linear.ir.instructions import STRONG
from heapstory.linear.ir.module import Module, read_module

HEAD = """
#include <stdatomic.h>
#define rlx memory_order_relaxed
#define acq memory_order_acquire
#define rel memory_order_release
#define sc memory_order_seq_cst
#define LOAD(x, o) atomic_load_explicit(&x, o)
#define STORE(x, v, o) atomic_store_explicit(&x, v, o)
#define ADD(x, v, o) atomic_fetch_add_explicit(&x, v, o)
#define FENCE(o) atomic_thread_fence(o)
atomic_int x, y, z;
int plain;
"""


def outcomes(folder: Path, text: str) -> set[tuple[int, ...]]:
    """What the functions can return together."""
    path = folder / "litmus.c"
    path.write_text(HEAD + text)
    module = read_module(str(path))
    words = _words(module)
    return {tuple(each) for each in Interleaver(words).together(_count(module))}


def _count(module: Module) -> int:
    return sum(f.name.startswith("p") for f in module.functions.values())


def _words(module: Module) -> list[int]:
    operations = []
    for number in range(_count(module)):
        to = Emitter(module, f"call {number}", [])
        wrapper = module.reserve()
        function = module.function(f"@p{number}")
        assert function is not None
        result = to.fresh()
        to.emit(op.CALL, kind=function, dst=result, b=0, c=0, size=1)
        to.emit(op.GIVE, b=to.row([result, module.constant(0)]), c=2)
        module.bodies[wrapper] = to.finished()
        operations.append([wrapper, READ, 0, number, NUMBER, 0, 0, 1, 0])
    module.complete()
    variables = module.words_of_variables()
    bodies = [body for body in module.bodies if body is not None]
    orders = {o.order for b in bodies for o in b.code if o.op in op.ATOMIC and o.order}
    found = [int(orders <= {STRONG}), -1, 0, 0, -1, len(module.constants), *module.constants]
    found += [*variables, len(bodies)]
    for body in bodies:
        found += body.words()
    found.append(len(operations))
    for operation in operations:
        found += operation
    return found
