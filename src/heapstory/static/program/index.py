"""A program: units linked by symbol at the level of summaries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from heapstory.cfront.program import Function, Unit
from heapstory.static.program.callgraph import components
from heapstory.static.program.constants import Constants
from heapstory.static.summaries.summary import Summary
from heapstory.static.transfer.models import Models

MAX_GROUP = 8  # functions that call each other and are iterated together


@dataclass(slots=True)
class Index:
    """What every function must know of the others, small enough to send to every worker."""

    models: Models
    constants: Constants = field(default_factory=Constants)
    internals: set[str] = field(default_factory=set)
    members: dict[str, set[str]] = field(default_factory=dict)
    by_signature: dict[str, set[str]] = field(default_factory=dict)
    # Names that a unit defines for itself although another one has them too.
    aliases: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, unit: Unit, members: dict[str, set[str]]) -> None:
        """Add what one unit contributes."""
        self.constants.add(unit)
        self.internals.update(unit.internals)
        for key, names in members.items():
            self.members.setdefault(key, set()).update(names)
        for name in unit.addressed:
            self.by_signature.setdefault(unit.signatures.get(name, ""), set()).add(name)

    def addressed(self) -> set[str]:
        """Functions whose address is taken: what a call through a pointer may turn out to mean."""
        stored = (*self.by_signature.values(), *self.members.values())
        return self.constants.functions().union(*stored)

    def private(self, name: str) -> bool:
        """Whether only one unit sees a global."""
        return name in self.internals

    def targets(self, member: str, signature: str) -> list[str]:
        """Functions a call through a pointer can reach: by the member it was read from, or else
        by its type. A variable in which the program puts no function of its own gets one from
        elsewhere (``dlsym``): which, nobody knows."""
        stored = self.members.get(member) if member else None
        elsewhere = not stored and member[:1] == "@"
        return [] if elsewhere else sorted(stored or self.by_signature.get(signature) or set())


_MAKER = re.compile(r"ptr\(i\d+(,i\d+)*\)\Z")  # makes a pointer of numbers


def allocator_hooks(functions: Iterable[Function], index: Index) -> set[str]:
    """Variables by which the user of a library may give it another allocator: they are called,
    return a pointer and take numbers; whoever calls them calls an allocator otherwise, and the
    program itself puts no function there."""
    hooks: set[str] = set()
    needed: set[str] = set()
    for function in functions:
        otherwise = any(name[1:] in index.models.allocates for name in function.callees)
        for each in function.indirect:
            member, _, signature = each.partition("|")
            name, _, offset = member.rpartition("+")
            if member[:1] != "@" or member in index.members or offset != "0":
                continue
            (hooks if otherwise and _MAKER.match(signature) else needed).add(name)
    return hooks - needed


class View:
    """The index with the summaries that one component needs."""

    def __init__(self, index: Index, summaries: dict[str, Summary]) -> None:
        self.models = index.models
        self.constant_function = index.constants.function
        self.constant_number = index.constants.number
        self.private = index.private
        self.targets = index.targets
        self.summaries = summaries
        self._aliases = index.aliases
        self.recursive: frozenset[str] = frozenset()  # functions analysed together

    def summary(self, name: str, unit: str) -> Summary | None:
        """The summary of what a unit means by a name."""
        return self.summaries.get(self._aliases.get((unit, name), name))


def callees(function: Function, index: Index) -> set[str]:
    """All functions a function may call."""
    found = {index.aliases.get((function.unit, name), name) for name in function.callees}
    for each in function.indirect:
        member, _, signature = each.partition("|")
        targets = index.targets(member, signature)
        if len(targets) <= 24:
            found.update(targets)
    if function.indirect:
        for table in _mentioned(function):
            found.update(index.constants.listed(table))
    return found


def _mentioned(function: Function) -> set[str]:
    """The globals whose address a function computes with."""
    return {
        operand[0]
        for block in function.blocks.values()
        for statement in (*block.statements, block.terminator)
        for operand in statement
        if type(operand) is tuple and operand and type(operand[0]) is str and operand[0][:1] == "@"
    }


def groups_in_order(functions: dict[str, Function], index: Index) -> list[list[str]]:
    """Functions to analyse together, callees first.

    Calls through pointers tie large parts of a program into one knot. A knot is cut: first its
    indirect calls, then, if direct calls alone still make one, it is taken function by function.
    A call to a function whose summary is not there yet may do anything.
    """
    edges = {name: callees(function, index) for name, function in functions.items()}
    found: list[list[str]] = []
    for group in components(edges):
        if len(group) <= MAX_GROUP:
            found.append(group)
            continue
        inside = set(group)
        direct = {name: functions[name].callees & inside for name in sorted(group)}
        for part in components(direct):
            if len(part) <= MAX_GROUP:
                found.append(part)
            else:
                found.extend([name] for name in part)
    return found
