"""What the reader makes of a module: functions of blocks of statements.

A statement is a plain tuple ``(opcode, place, …)``; an analysis visits millions of them. Operands
are a ``str`` (a register or a variable of the function), an ``int`` (a constant; null is 0), a
pair ``("@name", offset)`` (the address of a global or a function) or ``None`` (nobody knows).

======== ============================================== =====================================
opcode   further members                                source form
======== ============================================== =====================================
COPY     register, operand                              a temporary takes a value
ASSIGN   variable, operand, label                       ``p = q``, ``p = null``
LOAD     register, address, is-pointer, size, ordering  ``p = q->f``
GATHER   register, address, ((offset, is-pointer), …),  a structure that fits into registers
         size, ordering
STORE    address, operand, size, label, is-pointer,     ``p->f = q``
         ordering
GEP      register, base, offset, ((operand, scale), …)  ``&p->f``, ``&p[i]``
CALL     register | None, callee, operands, signature   ``p = g(q, …)``
ICMP     register, predicate, operand, operand          ``p == q``
BIN      register, operator, operand, operand, bits     arithmetic
SELECT   register, condition, operand, operand          ``c ? p : q``
FRESH    register                                       a value nobody knows
CAST     register, operand, bits, signed                a number of so many bits made wider
EXTRACT  register, operand, offset                      a member of a structure in registers
CMPXCHG  register, address, expected, desired,          compare and exchange: the register is the
         is-pointer, size, weak, ordering               pair of the old value and whether it was so
RMW      register, operator, address, operand,          fetch and add, exchange, …: the register is
         is-pointer, size, ordering                     the old value
FENCE    ordering                                       a fence between threads
ASM      register | None, operands                      assembly
======== ============================================== =====================================

An ordering is empty where the access is not atomic; of a compare and exchange it is that of its
success. Members of the pair that CMPXCHG gives are read by EXTRACT (the old value is at offset 0).
Whether a constant of the source has a sign the IR does not tell: those of up to UNSIGNED_BITS, tags
and characters for the most part, are best kept without, and a CAST says how they are meant.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from heapstory.cfront.asked import Answers
from heapstory.cfront.layout import Layout

COPY: Final = 0
ASSIGN: Final = 1
LOAD: Final = 2
STORE: Final = 3
GEP: Final = 4
CALL: Final = 5
ICMP: Final = 6
BIN: Final = 7
SELECT: Final = 8
FRESH: Final = 9
GATHER: Final = 10
CAST: Final = 11
EXTRACT: Final = 12
CMPXCHG: Final = 13
RMW: Final = 14
FENCE: Final = 15
ASM: Final = 16
JUMP: Final = 0
BRANCH: Final = 1
SWITCH: Final = 2
RETURN: Final = 3
DEAD: Final = 4

UNSIGNED_BITS: Final = 16

Operand = str | int | tuple[str, int] | None
Statement = tuple[Any, ...]
Terminator = tuple[Any, ...]


class Place(NamedTuple):
    """A position in the source, as the debug information gives it."""

    path: str
    line: int
    function: str
    column: int = 0


@dataclass(slots=True)
class Block:
    """Statements without a branch between them.

    ``terminator`` is ``(JUMP, place, target)``, ``(BRANCH, place, operand, yes, no)``,
    ``(SWITCH, place, operand, default, ((value, target), …))``, ``(RETURN, place, operand)`` or
    ``(DEAD, place)``. ``phis`` maps a predecessor to its parallel copies.
    """

    label: str
    statements: list[Statement] = field(default_factory=list)
    terminator: Terminator = (DEAD, None)
    phis: list[tuple[str, dict[str, Operand]]] = field(default_factory=list)
    # Filled in by liveness: temporaries that end after statement i, names alive at the entry.
    deaths: dict[int, tuple[str, ...]] = field(default_factory=dict)
    live: frozenset[str] = frozenset()
    joins: bool = False  # several ways lead here
    loops: bool = False  # one of them is a back edge
    # Of a loop head: variables the loop assigns, and those it moves along (p = p + 1).
    changes: frozenset[str] = frozenset()
    steps: frozenset[str] = frozenset()

    def place(self) -> Place | None:
        """Of its first statement that has one."""
        for statement in (*self.statements, self.terminator):
            place: Place | None = statement[1]
            if place is not None:
                return place
        return None


@dataclass(slots=True)
class Function:
    """A function body, ready for the analysis."""

    name: str
    place: Place
    parameters: list[tuple[str, bool]]  # register, whether it is a pointer
    variadic: bool = False
    internal: bool = False
    unit: str = ""
    digest: str = ""  # of the unit's IR
    returns_pointer: bool = False
    signature: str = ""
    blocks: dict[str, Block] = field(default_factory=dict)
    entry: str = ""
    order: dict[str, int] = field(default_factory=dict)  # reverse postorder of the labels
    variables: dict[str, str] = field(default_factory=dict)  # promoted slot -> name in the source
    stack: dict[str, tuple[int, str]] = field(default_factory=dict)  # slot -> size, name
    copies: dict[int, int] = field(default_factory=dict)  # structures passed by value: their size
    # Debug information (a DILocalVariable) of slots, for those who read types in the source.
    declared: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)  # the types of promoted slots
    bits: dict[str, int] = field(default_factory=dict)  # of promoted slots that hold numbers
    asked: dict[str, Answers] = field(default_factory=dict)  # by registers: comparisons in words
    # Registers that are the address of a member of a structure: "struct.list+8".
    members: dict[str, str] = field(default_factory=dict)
    callees: set[str] = field(default_factory=set)
    indirect: set[str] = field(default_factory=set)  # signatures of calls through pointers
    count: int = 0  # statements, to judge the cost
    removed: int = 0  # statements that a preparation took out

    def said(self, terminator: Terminator, taken: bool) -> str:
        """What held where a BRANCH went one way; where that has no words, the line it went to."""
        _, _, operand, yes, no = terminator
        if type(operand) is str and operand in self.asked:
            return self.asked[operand][0 if taken else 1]
        place = self.blocks[yes if taken else no].place()
        return f"goes on at line {place.line}" if place is not None else "takes one of two ways"


@dataclass(slots=True)
class Unit:
    """One translation unit."""

    path: str
    functions: dict[str, Function] = field(default_factory=dict)
    # Functions whose address is taken, by name; for calls through pointers.
    addressed: set[str] = field(default_factory=set)
    # Function names in the initial values of variables: ("@table", offset) -> name.
    tables: dict[tuple[str, int], str] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)  # variables that are const
    written: set[str] = field(default_factory=set)  # variables that may change, see written.py
    internals: set[str] = field(default_factory=set)  # names that no other unit sees
    signatures: dict[str, str] = field(default_factory=dict)  # of defined and declared functions
    # Type and initial value of global variables, as the IR writes them.
    initial: dict[str, tuple[str, str]] = field(default_factory=dict)
    layout: Layout = field(default_factory=Layout)
    lines: int = 0
