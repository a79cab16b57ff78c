"""The body of one function as instructions of the native machine."""

from __future__ import annotations

import re
from collections.abc import Callable

from heapstory.cfront.constants import follow_indices, typed
from heapstory.cfront.debug import ATTACHED
from heapstory.cfront.layout import bits_of, split_top, type_length
from heapstory.linear.ir import instructions as op
from heapstory.linear.ir.calls import Calls, Module
from heapstory.linear.ir.instructions import Body
from heapstory.linear.ir.slots import promoted

_LABEL = re.compile(r'([\w.$-]+|"[^"]+"):')
_TAIL = re.compile(r", !(?!dbg )[\w.]+ !\d+")
_PHI = re.compile(r"\[ (.*?), %([\w.$-]+|\"[^\"]+\") \](?:, |\Z)")
_CASE = re.compile(r"\s*i\d+ (-?\d+), label %([\w.$-]+)")
_FLAGS = re.compile(
    r"\b(nuw|nsw|nusw|exact|inbounds|atomic|weak|nneg|disjoint|samesign|noundef|nonnull) "
)
_ORDER = r"unordered|monotonic|acquire|release|acq_rel|seq_cst"
_ORDERING = re.compile(rf'(?: syncscope\("[^"]*"\))?((?: (?:{_ORDER}))+)\Z')
_CONTINUED = tuple(f"          {word}" for word in ("to label ", "cleanup", "catch ", "filter "))
_SAME = {"bitcast", "ptrtoint", "inttoptr", "addrspacecast", "freeze", "zext"}


class Lowering(Calls):
    """Lowers one function."""

    def __init__(self, module: Module, name: str, parameters: list[str]) -> None:
        super().__init__(module, name, parameters)
        self.starts: dict[str, int] = {}

    # -- lines ------------------------------------------------------------------------------------

    def build(self, lines: list[str]) -> Body:
        """Lower all lines."""
        lines = _joined(lines)
        self.variables, memory = promoted(lines, self.layout)
        self._find_phis(lines)
        for line in lines:
            label = None if line[0] == " " else _LABEL.match(line)
            if label:
                self.block = label.group(1)
                self.starts[self.block] = len(self.body.code)
            elif line[0] == " ":
                self._lower(line.strip(), memory)
        self.unknown("the end of a function without a return")
        self._resolve_jumps()
        return self.finished()

    def _find_phis(self, lines: list[str]) -> None:
        block = str(len(self.registers))
        self.block = block
        for line in lines:
            label = None if line[0] == " " else _LABEL.match(line)
            if label:
                block = label.group(1)
            elif " = phi " in line:
                target, _, rest = line.strip().partition(" = phi ")
                rest = ATTACHED.sub("", rest)
                kind = rest[: type_length(rest)]
                sources = {
                    where: f"{kind} {text}" for text, where in _PHI.findall(rest[len(kind) + 1 :])
                }
                self.phis.setdefault(block, []).append((target, sources))

    def _lower(self, line: str, memory: dict[str, str]) -> None:
        match = ATTACHED.search(line)
        if match:
            self.line = self.whole.line_of(match.group(1))
            line = line[: match.start()] + line[match.end() :]
        line = _TAIL.sub("", line)
        if line.startswith(("#dbg_", "call void @llvm.dbg.")):
            return
        target, found, rest = line.partition(" = ")
        if not found or target[0] != "%":
            target, rest = "", line
        word, _, rest = rest.partition(" ")
        if word in ("tail", "musttail", "notail"):
            word, _, rest = rest.partition(" ")
        if word == "alloca":
            self._slot(target, rest, memory)
            return
        handler: Callable[[str, str], None] | None = getattr(self, f"_do_{word}", None)
        if handler is not None:
            handler(target, rest)
        elif word in op.BINARY_KINDS:
            self._binary(target, word, rest)
        elif word in _SAME:
            self._same(target, rest)
        else:
            self.unknown(f"the instruction '{word}'")

    def _slot(self, target: str, rest: str, memory: dict[str, str]) -> None:
        if target in self.variables:
            return
        if target not in memory:
            self.unknown("an array of variable length")
            return
        size = self.module.constant(self.layout.size(memory[target]))
        self.emit(op.ALLOT, dst=self.register(target), a=size)

    # -- values -----------------------------------------------------------------------------------

    def _binary(self, target: str, word: str, rest: str) -> None:
        pieces = split_top(_FLAGS.sub("", rest))
        kind, left = self.typed(pieces[0])
        right = self.typed(f"{kind} {pieces[1]}")[1]
        bits = bits_of(kind)
        if not 0 < bits <= 64:
            self.unknown(f"arithmetic on {kind}")
            return
        number = op.BINARY_KINDS.index(word)
        self.emit(op.BINARY, kind=number, dst=self.register(target), a=left, b=right, size=bits)

    def _same(self, target: str, rest: str) -> None:
        if target in self.variables:  # another name of a slot
            return
        source = _FLAGS.sub("", rest).rsplit(" to ", 1)[0]
        self.move(self.register(target), self.typed(source)[1])

    def _do_trunc(self, target: str, rest: str) -> None:
        source, wanted = _FLAGS.sub("", rest).rsplit(" to ", 1)
        self.emit(
            op.TRUNCATE, dst=self.register(target), a=self.typed(source)[1], size=bits_of(wanted)
        )

    def _do_sext(self, target: str, rest: str) -> None:
        source, wanted = rest.rsplit(" to ", 1)
        kind, operand = self.typed(source)
        self.emit(
            op.EXTEND, dst=self.register(target), a=operand, b=bits_of(wanted), size=bits_of(kind)
        )

    def _do_icmp(self, target: str, rest: str) -> None:
        predicate, _, rest = _FLAGS.sub("", rest).partition(" ")
        pieces = split_top(rest)
        kind, left = self.typed(pieces[0])
        right = self.typed(f"{kind} {pieces[1]}")[1]
        self.emit(
            op.COMPARE, kind=op.PREDICATES.index(predicate), dst=self.register(target),
            a=left, b=right, size=bits_of(kind) or 64,
        )  # fmt: skip

    def _do_select(self, target: str, rest: str) -> None:
        condition, yes, no = (self.typed(p)[1] for p in split_top(_FLAGS.sub("", rest)))
        self.emit(op.SELECT, dst=self.register(target), a=condition, b=yes, c=no)

    def _do_phi(self, target: str, rest: str) -> None:
        """Done where the jumps come from."""

    def _do_getelementptr(self, target: str, rest: str) -> None:
        pieces = split_top(_FLAGS.sub("", rest))
        base = self.typed(pieces[1])[1]
        indices = [typed(piece, self.layout) for piece in pieces[2:]]
        offset, terms, _ = follow_indices(pieces[0], [i for _, i in indices], self.layout)
        current = base
        result = self.register(target)
        widths = {i: bits_of(kind) for kind, i in indices if isinstance(i, str)}
        for index, scale in terms:
            width = widths.get(index, 64) if isinstance(index, str) else 64
            self.emit(
                op.INDEX, kind=scale, dst=result, a=current, b=self.operand(index), size=width
            )
            current = result
        one = self.module.constant(1)
        self.emit(op.INDEX, kind=offset, dst=result, a=current, b=one, size=64)

    def _do_extractvalue(self, target: str, rest: str) -> None:
        whole, number = split_top(rest)[:2]
        source = whole.rsplit(" ", 1)[-1]
        if source not in self.parts or int(number) >= len(self.parts[source]):
            self.unknown("a structure in registers")
            return
        self.move(self.register(target), self.parts[source][int(number)])

    def _do_insertvalue(self, target: str, rest: str) -> None:
        whole, part, number = split_top(rest)[:3]
        kind = whole[: type_length(whole)]
        source = whole.rsplit(" ", 1)[-1]
        count = len(self.layout.fields(kind))
        first = self.fresh(count)
        for i, old in enumerate(self.parts.get(source, [])):
            self.move(first + i, old)
        self.move(first + int(number), self.typed(part)[1])
        self.parts[target] = list(range(first, first + count))

    # -- memory -----------------------------------------------------------------------------------

    def _do_load(self, target: str, rest: str) -> None:
        kind, text, order = self._access(rest, 0)
        slot = text.rsplit(" ", 1)[-1]
        if slot in self.variables:
            self.move(self.register(target), self.register(self.variables[slot]))
            return
        address = self.typed(text)[1]
        fields = self._fields(kind)
        if fields is None:
            size = self.layout.size(kind)
            if size > 8 and not order and kind != "i128":
                self.unknown(f"a value of {size} bytes")
            self.emit(op.LOAD, dst=self.register(target), a=address, size=size, order=order)
            return
        first = self.fresh(len(fields))
        for i, (offset, inner) in enumerate(fields):
            at = self._moved(address, offset)
            self.emit(op.LOAD, dst=first + i, a=at, size=self.layout.size(inner), order=order)
        self.parts[target] = list(range(first, first + len(fields)))

    def _do_store(self, _: str, rest: str) -> None:
        pieces = split_top(_FLAGS.sub("", rest.removeprefix("atomic ")))
        kind, text, order = self._access(rest, 1)
        slot = text.rsplit(" ", 1)[-1]
        stored = pieces[0].removeprefix("volatile ")
        fields = self._fields(kind)
        if fields is None:
            value_ = self.typed(stored)[1]
            if slot in self.variables:
                self.move(self.register(self.variables[slot]), value_)
                return
            address = self.typed(text)[1]
            self.emit(op.STORE, a=address, b=value_, size=self.layout.size(kind), order=order)
            return
        address = self.typed(text)[1]
        source = stored.rsplit(" ", 1)[-1]
        if source == "zeroinitializer":
            parts = [self.module.constant(0)] * len(fields)
        elif source in self.parts:
            parts = self.parts[source]
        else:
            self.unknown("a structure in registers")
            return
        for (offset, inner), part in zip(fields, parts, strict=True):
            at = self._moved(address, offset)
            self.emit(op.STORE, a=at, b=part, size=self.layout.size(inner), order=order)

    def _access(self, rest: str, position: int) -> tuple[str, str, int]:
        """The type, the address and the ordering of a load or store. What is volatile counts as
        relaxed."""
        shared = "volatile " in rest.split(",", 1)[0]
        pieces = split_top(_FLAGS.sub("", rest).replace("volatile ", "", 1))
        text, order = _ordered(pieces[1])
        kind = pieces[0][: type_length(pieces[0])]
        return kind, text, op.ORDERS[order] or (op.RELAXED if shared else op.PLAIN)

    def _moved(self, address: int, offset: int) -> int:
        if offset == 0:
            return address
        found = self.fresh()
        one = self.module.constant(1)
        self.emit(op.INDEX, kind=offset, dst=found, a=address, b=one, size=64)
        return found

    def _do_cmpxchg(self, target: str, rest: str) -> None:
        pieces = split_top(_FLAGS.sub("", rest).replace("volatile ", "", 1))
        weak = rest.startswith("weak ")
        address = self.typed(pieces[0])[1]
        kind, expected = self.typed(pieces[1])
        match = _ORDERING.search(pieces[2])
        orders = match.group(1).split() if match else ["seq_cst", "seq_cst"]
        desired = self.typed(pieces[2][: match.start()] if match else pieces[2])[1]
        first = self.fresh(2)
        self.emit(
            op.EXCHANGE, kind=weak | op.ORDERS[orders[1]] << 8, dst=first, a=address, b=expected,
            c=desired, size=self.layout.size(kind), order=op.ORDERS[orders[0]],
        )  # fmt: skip
        self.parts[target] = [first, first + 1]

    def _do_atomicrmw(self, target: str, rest: str) -> None:
        operator, _, rest = rest.replace("volatile ", "", 1).partition(" ")
        pieces = split_top(rest)
        address = self.typed(pieces[0])[1]
        text, order = _ordered(pieces[1])
        kind, by = self.typed(text)
        if operator not in op.MODIFY_KINDS:
            self.unknown(f"the atomic operation '{operator}'")
            return
        self.emit(
            op.MODIFY, kind=op.MODIFY_KINDS.index(operator), dst=self.register(target), a=address,
            b=by, size=self.layout.size(kind), order=op.ORDERS[order],
        )  # fmt: skip

    def _do_fence(self, _: str, rest: str) -> None:
        if "singlethread" not in rest:
            self.emit(op.FENCE, order=op.ORDERS[_ordered(f" {rest}")[1]])

    # -- control ----------------------------------------------------------------------------------

    def _do_br(self, _: str, rest: str) -> None:
        pieces = split_top(rest)
        if len(pieces) == 1:
            self._jump(_target(pieces[0]))
            return
        condition = self.typed(pieces[0])[1]
        self._branch(condition, _target(pieces[1]), _target(pieces[2]))

    def _branch(self, condition: int, yes: str, no: str) -> None:
        branch = self.emit(op.BRANCH, a=condition)
        branch.b = len(self.body.code)
        self._jump(yes)
        branch.c = len(self.body.code)
        self._jump(no)

    def _do_switch(self, _: str, rest: str) -> None:
        head, _, cases = rest.partition("[")
        pieces = split_top(head.strip())
        kind, tested = self.typed(pieces[0])
        for number, label in _CASE.findall(cases):
            same = self.fresh()
            constant = self.typed(f"{kind} {number}")[1]
            self.emit(op.COMPARE, kind=0, dst=same, a=tested, b=constant, size=bits_of(kind))
            branch = self.emit(op.BRANCH, a=same)
            branch.b = len(self.body.code)
            self._jump(label)
            branch.c = len(self.body.code)
        self._jump(_target(pieces[1]))

    def _resolve_jumps(self) -> None:
        for one, label in self.jumps:
            one.a = self.starts[label]

    def _do_ret(self, _: str, rest: str) -> None:
        if rest == "void":
            self.emit(op.GIVE)
            return
        source = rest.rsplit(" ", 1)[-1]
        parts = self.parts.get(source) or [self.typed(rest)[1]]
        first = self.fresh(len(parts))
        for i, part in enumerate(parts):
            self.move(first + i, part)
        self.emit(op.GIVE, b=first, c=len(parts))

    def _do_unreachable(self, _: str, __: str) -> None:
        self.unknown("code that cannot be reached")


def _joined(lines: list[str]) -> list[str]:
    """Lines, with those of a switch, an invocation or a landing pad in one."""
    found: list[str] = []
    open_ = False
    for line in lines:
        text = line.rstrip()
        if open_ or text.startswith(_CONTINUED):
            found[-1] += " " + text.strip()
            open_ = open_ and not text.startswith("  ]")
            continue
        open_ = text.endswith("[") and " switch " in f" {text.strip()} "
        found.append(text)
    return found


def _ordered(text: str) -> tuple[str, str]:
    match = _ORDERING.search(text)
    return (text[: match.start()], match.group(1).split()[0]) if match else (text, "")


def _target(piece: str) -> str:
    return piece.split("%", 1)[1].strip()
