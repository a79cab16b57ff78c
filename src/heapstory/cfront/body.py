"""Lowering the body of one function."""

from __future__ import annotations

import re
from typing import Protocol

from heapstory.cfront import program as op
from heapstory.cfront.asked import answers
from heapstory.cfront.calls import Call, assembly_registers, read_call, without_effect
from heapstory.cfront.constants import follow_indices, typed, value
from heapstory.cfront.debug import ATTACHED, DebugInfo
from heapstory.cfront.layout import (
    Layout,
    bits_of,
    is_pointer,
    member_key,
    split_top,
    type_length,
)
from heapstory.cfront.program import Block, Function, Operand, Place, Unit
from heapstory.cfront.signatures import loose
from heapstory.cfront.slots import Slots
from heapstory.cfront.targets import Targets

_LABEL = re.compile(r'([\w.$-]+|"[^"]+"):')
_TAIL = re.compile(r", !(?!dbg )[\w.]+ !\d+")
_PHI = re.compile(r"\[ (.*?), %([\w.$-]+|\"[^\"]+\") \](?:, |\Z)")
_CASE = re.compile(r"\s*i\d+ (-?\d+), label %(\S+)")
_CASTS = {
    "bitcast", "ptrtoint", "inttoptr", "zext", "sext", "trunc",
    "addrspacecast", "freeze", "fptosi", "fptoui",
}  # fmt: skip
_ARITHMETIC = frozenset(
    ["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "sdiv", "udiv", "srem", "urem"]
)
_FLAGS = re.compile(
    r"\b(nuw|nsw|nusw|exact|inbounds|volatile|atomic|weak|nneg|disjoint|samesign"
    r"|fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) "
)
_ORDERING = re.compile(
    r'(?: syncscope\("[^"]*"\))?((?: (?:unordered|monotonic|acquire|release|acq_rel|seq_cst))+)\Z'
)


class Surroundings(Protocol):
    """What the body of a function needs of the module around it."""

    layout: Layout
    unit: Unit
    debug: DebugInfo
    members: dict[str, set[str]]
    functions: set[str]

    def qualify(self, name: str) -> str: ...


class BodyBuilder:
    """Builds the blocks of one function."""

    def __init__(self, module: Surroundings, function: Function) -> None:
        self.module = module
        self.layout = module.layout
        self.function = function
        self.block = Block("")
        self.place: Place | None = None
        self.alias: dict[str, Operand] = {}  # casts: a register is its operand
        self.slots = Slots(function, module.layout, module.debug)
        self.names: dict[str, str] = {}  # register -> expression in the source
        self.said: dict[str, str] = {}  # register -> expression in the source whose value it is
        self.targets = Targets(module.functions, module.members)
        self.pointers: set[str] = set()  # registers of pointer type
        self.truncated: set[str] = set()  # registers that hold a part of a wider number
        self._handlers = {
            "load": self._load,
            "getelementptr": self._gep,
            "icmp": self._icmp,
            "select": self._select,
            "phi": self._phi,
            "alloca": self._alloca,
        }

    def build(self, lines: list[str]) -> None:
        """Lower all lines of the body."""
        self.slots.find(lines)
        self.names.update(self.slots.names)
        entry = str(len(self.function.parameters))
        if lines and _LABEL.match(lines[0]):
            entry = self._label(lines[0])
            lines = lines[1:]
        self._open(entry)
        self.function.entry = entry
        pending: list[str] = []
        for line in lines:
            if pending:
                pending.append(line.strip())
                if line.startswith("  ]"):
                    self._lower(" ".join(pending))
                    pending = []
            elif line.lstrip().startswith("#dbg_"):  # a record, from LLVM 19 on
                continue
            elif line[0] != " ":
                if _LABEL.match(line):
                    self._open(self._label(line))
            elif line.endswith("["):
                pending.append(line.strip())
            else:
                self._lower(line.strip())
        for block in self.function.blocks.values():  # a phi may come before what it reads
            block.phis = [
                (target, {label: self._resolve(o) for label, o in sources.items()})
                for target, sources in block.phis
            ]
        self.function.members = self.targets.members
        self.function.count = sum(len(b.statements) for b in self.function.blocks.values())

    @staticmethod
    def _label(line: str) -> str:
        match = _LABEL.match(line)
        return match.group(1) if match else ""

    def _open(self, label: str) -> None:
        self.block = Block(label)
        self.function.blocks[label] = self.block

    def _lower(self, line: str) -> None:
        match = ATTACHED.search(line)
        if match:
            place = self.module.debug.place(match.group(1))
            if place is not None:
                self.place = place
            line = line[: match.start()] + line[match.end() :]
        if ", !" in line and "metadata" not in line:
            line = _TAIL.sub("", line)
        target, found, rest = line.partition(" = ")
        if not found or target[0] != "%":
            self._effect(line)
            return
        word, _, rest = rest.partition(" ")
        handler = self._handlers.get(word)
        if handler is not None:
            handler(target, rest)
        elif word in _CASTS:
            self._cast(target, rest, word)
        elif word == "extractvalue":  # of a structure in registers, see GATHER
            self._extract(target, *split_top(rest)[:2])
        elif word in _ARITHMETIC:
            kind, left, right = self._pair(_FLAGS.sub("", rest))
            if word == "xor" and kind == "i1" and right in (1, -1):
                self._not(target, left)
            self._emit(op.BIN, target, word, left, right, bits_of(kind))
        elif word in ("call", "tail", "musttail", "notail"):
            self._call(target, rest if word == "call" else rest.removeprefix("call "))
        elif word == "cmpxchg":
            self._exchange(target, rest)
        elif word == "atomicrmw":
            self._modify(target, rest)
        else:
            self._emit(op.FRESH, target)

    def _emit(self, opcode: int, *members: object) -> None:
        self.block.statements.append((opcode, self.place, *members))

    def _resolve(self, operand: Operand) -> Operand:
        while type(operand) is str and operand in self.alias:
            operand = self.alias[operand]
        if type(operand) is str and operand in self.function.stack:
            return operand, 0  # the address of a slot that stays in memory
        if type(operand) is tuple:
            return self.module.qualify(operand[0]), operand[1]
        return operand

    def _typed(self, piece: str) -> tuple[str, Operand]:
        kind, operand = typed(piece, self.layout)
        if type(operand) is tuple and self.module.qualify(operand[0]) in self.module.functions:
            self.module.unit.addressed.add(self.module.qualify(operand[0]))
        return kind, self._resolve(operand)

    def _pair(self, rest: str) -> tuple[str, Operand, Operand]:
        pieces = split_top(rest)
        kind, left = self._typed(pieces[0])
        right = self._resolve(value(pieces[1], self.layout))
        return kind, left, right

    def _load(self, target: str, rest: str) -> None:
        pieces = split_top(_FLAGS.sub("", rest))
        kind = pieces[0]
        text, ordering = _ordered(pieces[1])
        address = self._typed(text)[1]
        pointer = is_pointer(kind)
        if pointer:
            self.pointers.add(target)
        if isinstance(address, str):
            self.names[target] = self.names.get(address, "")
            if address in self.targets.members or address in self.function.variables:
                self.said[target] = self.names[target]
            elif self.said.get(address):
                self.said[target] = f"*{self.said[address]}"
            if address in self.function.variables:
                self.targets.copied(target, address)
                self._emit(op.COPY, target, address)
                return
        elif isinstance(address, tuple):
            self.names[target] = self._outer(address)
            if address[1] == 0:
                self.said[target] = self.names[target]
        self.targets.loaded(target, address, pointer)
        size = self.layout.size(kind)
        if not pointer and kind[0] in "{[%<":
            members = tuple((o, is_pointer(k)) for o, k in self.layout.members(kind))
            self._emit(op.GATHER, target, address, members, size, ordering)
        else:
            self._emit(op.LOAD, target, address, pointer, size, ordering)

    def _gep(self, target: str, rest: str) -> None:
        pieces = split_top(_FLAGS.sub("", rest))
        base = self._typed(pieces[1])[1]
        indices = [self._typed(piece)[1] for piece in pieces[2:]]
        offset, terms, member = follow_indices(pieces[0], indices, self.layout)
        self._name_member(target, base, member, bool(terms))
        self.pointers.add(target)
        self._emit(op.GEP, target, base, offset, tuple(terms))

    def _name_member(
        self, target: str, base: Operand, member: tuple[str, int] | None, indexed: bool
    ) -> None:
        outer = self._outer(base)
        self.targets.points_at(target, base, member)
        if member is None:
            self.names[target] = f"{outer}[…]" if indexed and outer else outer
            return
        tag = member_key(member[0], 0).split("+")[0].removeprefix("struct.")
        name = self.module.debug.members(tag).get(member[1])
        if name and outer:
            dot = isinstance(base, tuple)
            self.names[target] = f"{outer}{'.' if dot else '->'}{name}"

    def _outer(self, base: Operand) -> str:
        if isinstance(base, tuple):
            return (
                self.names.get(base[0], "") if base[0][0] == "%" else base[0][1:].split("@", 1)[0]
            )
        return self.names.get(base, "") if isinstance(base, str) else ""

    def _icmp(self, target: str, rest: str) -> None:
        predicate, _, rest = rest.partition(" ")
        kind, left, right = self._pair(rest)
        said = answers(predicate, self._said(left), self._said(right), is_pointer(kind))
        if said is not None:
            self.function.asked[target] = said
        self._emit(op.ICMP, target, predicate, left, right)

    def _not(self, target: str, operand: Operand) -> None:
        if isinstance(operand, str) and operand in self.function.asked:
            yes, no = self.function.asked[operand]
            self.function.asked[target] = no, yes

    def _said(self, operand: Operand) -> str:
        """An operand as the source writes it; '' if that is not known."""
        if isinstance(operand, int):
            return str(operand)
        return self.said.get(operand, "") if isinstance(operand, str) else ""

    def _select(self, target: str, rest: str) -> None:
        pieces = split_top(_FLAGS.sub("", rest))
        condition = self._typed(pieces[0])[1]
        kind, yes = self._typed(pieces[1])
        if is_pointer(kind):
            self.pointers.add(target)
        self._emit(op.SELECT, target, condition, yes, self._typed(pieces[2])[1])

    def _phi(self, target: str, rest: str) -> None:
        end = type_length(rest)
        if is_pointer(rest[:end]):
            self.pointers.add(target)
        sources: dict[str, Operand] = {}
        for text, label in _PHI.findall(rest[end + 1 :]):
            sources[label] = value(text, self.layout)
        self.block.phis.append((target, sources))

    def _alloca(self, target: str, rest: str) -> None:
        if target not in self.slots.types:  # of variable length
            self.function.stack[target] = (0, self.names.get(target, ""))

    def _cast(self, target: str, rest: str, word: str) -> None:
        kind, operand = self._typed(rest.rsplit(" to ", 1)[0])
        if operand is None:
            self._emit(op.FRESH, target)
            return
        if word == "trunc":
            self.truncated.add(target)
        bits = bits_of(kind)
        if bits > 1 and (word == "zext" or (word == "sext" and self._narrow(rest, bits))):
            self._emit(op.CAST, target, operand, bits, word == "sext")
        else:
            self.alias[target] = operand
        if isinstance(operand, str):
            self.targets.copied(target, operand)
            for table in (self.names, self.said):
                if operand in table:
                    table[target] = table[operand]

    def _narrow(self, rest: str, bits: int) -> bool:
        """Whether a number is perhaps kept without its sign: see ``CAST``."""
        source = rest.rsplit(" to ", 1)[0].rsplit(" ", 1)[-1]
        return bits <= op.UNSIGNED_BITS or source in self.truncated

    def _extract(self, target: str, whole: str, number: str) -> None:
        """A member of a structure in registers, see GATHER."""
        operand = self._typed(whole)[1]
        fields = self.layout.fields(whole[: type_length(whole)])
        if operand is None or int(number) >= len(fields):
            self._emit(op.FRESH, target)
            return
        self._emit(op.EXTRACT, target, operand, fields[int(number)][0])

    def _exchange(self, target: str, rest: str) -> None:
        """``cmpxchg [weak] POINTER, TYPE EXPECTED, TYPE DESIRED SUCCESS FAILURE``"""
        pieces = split_top(_FLAGS.sub("", rest))
        address = self._typed(pieces[0])[1]
        kind, expected = self._typed(pieces[1])
        text, ordering = _ordered(pieces[2])
        desired = self._typed(text)[1]
        self._emit(
            op.CMPXCHG, target, address, expected, desired,
            is_pointer(kind), self.layout.size(kind), rest.startswith("weak "), ordering,
        )  # fmt: skip

    def _modify(self, target: str, rest: str) -> None:
        """``atomicrmw OPERATOR POINTER, TYPE VALUE ORDERING``"""
        operator, _, rest = _FLAGS.sub("", rest).partition(" ")
        pieces = split_top(rest)
        address = self._typed(pieces[0])[1]
        text, ordering = _ordered(pieces[1])
        kind, operand = self._typed(text)
        if is_pointer(kind):
            self.pointers.add(target)
        size = self.layout.size(kind)
        self._emit(op.RMW, target, operator, address, operand, is_pointer(kind), size, ordering)

    def _effect(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "store":
            self._store(rest)
        elif word in ("call", "tail", "musttail", "notail"):
            self._call(None, rest if word == "call" else rest.removeprefix("call "))
        elif word == "br":
            self._branch(rest)
        elif word == "switch":
            self._switch(rest)
        elif word == "ret":
            operand = None if rest == "void" else self._typed(rest)[1]
            self.block.terminator = (op.RETURN, self.place, operand)
        elif word == "indirectbr":
            self._indirect_branch(rest)
        elif word == "fence":
            self._emit(op.FENCE, _ordered(f" {rest}")[1])
        else:
            self.block.terminator = (op.DEAD, self.place)

    def _store(self, rest: str) -> None:
        pieces = split_top(_FLAGS.sub("", rest))
        kind, stored = self._typed(pieces[0])
        text, ordering = _ordered(pieces[1])
        address = self._typed(text)[1]
        if isinstance(address, str) and address in self.function.variables:
            self.targets.assigned(address, stored)
            self._emit(op.ASSIGN, address, stored, self.names.get(address, ""))
            return
        self.targets.put(address, stored)
        label = self._outer(address)
        pointer, size = is_pointer(kind), self.layout.size(kind)
        self._emit(op.STORE, address, stored, size, label, pointer, ordering)

    def _branch(self, rest: str) -> None:
        pieces = split_top(rest)
        if len(pieces) == 1:
            self.block.terminator = (op.JUMP, self.place, pieces[0].split("%", 1)[1])
            return
        condition = self._typed(pieces[0])[1]
        self._ask_for_true(condition)
        yes, no = (piece.split("%", 1)[1] for piece in pieces[1:3])
        self.block.terminator = (op.BRANCH, self.place, condition, yes, no)

    def _ask_for_true(self, condition: Operand) -> None:
        if isinstance(condition, str) and condition not in self.function.asked:
            said = answers("ne", self._said(condition), "0", False)
            if said is not None:
                self.function.asked[condition] = said

    def _switch(self, rest: str) -> None:
        head, _, cases = rest.partition("[")
        pieces = split_top(head.strip())
        operand = self._typed(pieces[0])[1]
        default = pieces[1].split("%", 1)[1].strip()
        table = tuple((int(v), label) for v, label in _CASE.findall(cases))
        self.block.terminator = (op.SWITCH, self.place, operand, default, table)

    def _indirect_branch(self, rest: str) -> None:
        labels = re.findall(r"label %([\w.$-]+)", rest)
        table = tuple((number, label) for number, label in enumerate(labels[1:]))
        self.block.terminator = (op.SWITCH, self.place, None, labels[0], table)

    def _call(self, target: str | None, text: str) -> None:
        call = read_call(text)
        if call is None:
            registers = tuple(self._resolve(name) for name in assembly_registers(text))
            self._emit(op.ASM, target, registers)
        elif not without_effect(call.name):
            self._emit_call(target, call)
        elif target:
            self._emit(op.FRESH, target)

    def _emit_call(self, target: str | None, call: Call) -> None:
        name = call.name
        typed_operands = [self._typed(piece) for piece in call.arguments]
        kinds = ",".join(loose(kind) for kind, _ in typed_operands)
        signature = f"{loose(call.result)}({kinds})"
        if target and is_pointer(call.result):
            self.pointers.add(target)
        callee: Operand = name
        key = ""
        if name[0] == "%":
            callee = self._resolve(name)
            key = self.targets.origin(name)
            if isinstance(callee, str):
                self.function.indirect.add(f"{key}|{signature}")
            else:
                callee = callee[0] if isinstance(callee, tuple) else None
        else:
            callee = self.module.qualify(name)
        if isinstance(callee, str) and callee[0] == "@":
            self.function.callees.add(callee)
        if target:
            self.names[target] = self.said[target] = f"{name[1:]}()" if name[0] == "@" else ""
        operands = tuple(operand for _, operand in typed_operands)
        self._emit(op.CALL, target, callee, operands, signature, key)


def _ordered(text: str) -> tuple[str, str]:
    """What stands before an ordering, and the ordering (of two, the first)."""
    match = _ORDERING.search(text)
    return (text[: match.start()], match.group(1).split()[0]) if match else (text, "")
