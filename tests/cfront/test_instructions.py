"""What clang makes of C is read alike, whichever clang is installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from heapstory.cfront import program as op
from heapstory.cfront.capture import Job
from heapstory.cfront.clang import Module, compile_together, find_clang
from heapstory.cfront.debug import Member
from heapstory.cfront.program import Function, Statement
from heapstory.cfront.reader import ModuleReader, open_module

CLANGS = [
    name
    for name in ("clang", *(f"clang-{version}" for version in range(14, 41)))
    if shutil.which(name)
]
SOURCE = """#include <stdatomic.h>
#include <stddef.h>
struct node { _Atomic(struct node *) next; int key; char text[6]; };
static _Atomic(struct node *) top;
static atomic_long count;
void push(struct node *fresh) {
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    do
        atomic_store_explicit(&fresh->next, old, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &old, fresh, memory_order_release,
                                                  memory_order_relaxed));
    atomic_fetch_add(&count, 1);
    atomic_thread_fence(memory_order_seq_cst);
}
struct node *swap(struct node *other) { return atomic_exchange(&top, other); }
int pick(int which, int one, int two) { return which ? one : two; }
int plain(struct node *node) { int key = node->key; return key; }
int odd(int x) { __asm__("nop" : "+r"(x)); return x; }
"""


@pytest.fixture(params=CLANGS)
def module(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ModuleReader]:
    monkeypatch.setenv("HEAPSTORY_CLANG", request.param)
    find_clang.cache_clear()
    (tmp_path / "source.c").write_text(SOURCE)
    (made,) = compile_together([Job(str(tmp_path), "source.c")])
    assert isinstance(made, Module), made
    yield open_module(made.text, str(tmp_path / "source.c"))
    find_clang.cache_clear()


def _all(function: Function, opcode: int) -> list[Statement]:
    return [s for b in function.blocks.values() for s in b.statements if s[0] == opcode]


def test_atomic_operations_are_statements(module: ModuleReader) -> None:
    push = module.unit.functions["@push"]
    top, count = ((f"@{name}@{module.unit.path}", 0) for name in ("top", "count"))
    (exchange,) = _all(push, op.CMPXCHG)
    assert exchange[3] == top and exchange[6:] == (False, 8, True, "release")
    assert isinstance(exchange[4], str) and isinstance(exchange[5], str)
    assert {s[4] for s in _all(push, op.EXTRACT) if s[3] == exchange[2]} == {0, 8}
    (added,) = _all(push, op.RMW)
    assert added[3:5] == ("add", count) and added[6:] == (False, 8, "seq_cst")
    assert [s[2] for s in _all(push, op.FENCE)] == ["seq_cst"]
    assert [s[3] for s in _all(push, op.LOAD) if s[6] == "acquire"] == [top]
    assert [s[7] for s in _all(push, op.STORE) if s[7]] == ["monotonic"]
    (swapped,) = _all(module.unit.functions["@swap"], op.RMW)
    assert swapped[3:5] == ("xchg", top)


def test_variables_keep_their_names_and_places(module: ModuleReader) -> None:
    plain = module.unit.functions["@plain"]
    assert sorted(plain.variables.values()) == ["key", "node"]
    assert not plain.stack
    (load,) = _all(plain, op.LOAD)
    assert load[1] is not None and load[1].line == 17 and load[4:] == (False, 4, "")
    assert len(_all(module.unit.functions["@pick"], op.ASSIGN)) >= 3
    (assembly,) = _all(module.unit.functions["@odd"], op.ASM)
    assert len(assembly[3]) == 1


def test_types_are_those_of_the_source(module: ModuleReader) -> None:
    assert module.debug.structures()["node"] == [
        Member("next", 0, "_Atomic(struct node *)"),
        Member("key", 8, "int"),
        Member("text", 12, "char[6]"),
    ]
    plain = module.unit.functions["@plain"]
    types = {plain.variables[s]: module.debug.type_of(n) for s, n in plain.declared.items()}
    assert types == {"node": "struct node *", "key": "int"}
