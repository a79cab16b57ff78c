"""Fig 6.13 of the thesis: how two operations of the ORVYY set can share nodes.

All interleavings of two operations on small lists are run by the reference interpreter, and what
their variables P, C and T have in common is compared with the figure.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import pytest

from heapstory.linear.models.reference import Instance, Interpreter, Memory
from heapstory.linear.program.load import load
from tests.linear.mutants import EXAMPLES

Pairs = frozenset[str]  # such as "pp": the first one's P is the second one's P
# the rows of the figure that relate the two; every pair of operations may also be unrelated
FIGURE_6_13 = {
    ("Contains", "Remove_yes"): [{"pp", "cc"}, {"pc"}],
    ("Remove_yes", "Remove_yes"): [{"cp"}],
    ("Add_yes", "Add_yes"): [{"cp"}, {"pp", "ct"}, {"pt", "cc"}],
    ("Remove_yes", "Add_yes"): [{"pp", "ct"}, {"pt", "cc"}, {"pc"}],
    ("Contains", "Add_yes"): [{"pp", "cc"}, {"pp", "ct"}, {"pt", "cc"}],
}
INTERPRETER = Interpreter(load(EXAMPLES / "orvyy_set.lin"))


def alone(memory: Memory, instance: Instance) -> Iterator[tuple[Memory, Instance]]:
    """Every way to run an instance to its end."""
    if instance.done:
        yield memory, instance
        return
    for effect in INTERPRETER.step(memory, instance):
        yield from alone(effect.memory, effect.instance)


def together(
    memory: Memory, one: Instance, two: Instance, order: str = ""
) -> Iterator[tuple[str, Memory, Instance, Instance]]:
    """Every interleaving of two instances that both end."""
    if one.done and two.done:
        yield order, memory, one, two
    if not one.done:
        for effect in INTERPRETER.step(memory, one):
            yield from together(effect.memory, effect.instance, two, order + "1")
    if not two.done:
        for effect in INTERPRETER.step(memory, two):
            yield from together(effect.memory, one, effect.instance, order + "2")


def start(name: str, key: int, number: int = 0) -> Instance:
    return INTERPRETER.start(INTERPRETER.spec.operation(name), number, (key,))


@cache
def lists() -> list[Memory]:
    """The lists of up to three keys out of 2, 4, 6."""
    found = []
    for size in range(4):
        for keys in combinations((2, 4, 6), size):
            memory = INTERPRETER.initial()
            for key in keys:
                memory, _ = next(alone(memory, start("Add_yes", key)))
            found.append(memory)
    return found


def shared(one: Instance, two: Instance) -> Pairs:
    """Which variables of the two hold the same node."""
    names = [(a, b) for a, b in product("pct", repeat=2) if a in one.locals and b in two.locals]
    return frozenset(a + b for a, b in names if one.locals[a] == two.locals[b])


def answers(first: str, second: str) -> Iterator[tuple[str, str]]:
    both = (("Contains_yes", "Contains_no") if n == "Contains" else (n,) for n in (first, second))
    return product(*both)


@cache
def runs(first: str, second: str) -> list[tuple[Memory, str, Memory, Instance, Instance]]:
    """All interleavings of two operations, with the memory before and after.

    Those that do not overlap count too: P can only be another's T once that one has ended.
    """
    found = []
    for memory, (a, b) in product(lists(), answers(first, second)):
        for j, k in product(range(1, 8), repeat=2):
            for order, after, one, two in together(memory, start(a, j), start(b, k, 1)):
                found.append((memory, order, after, one, two))
    return found


@pytest.mark.parametrize(("first", "second"), FIGURE_6_13)
def test_every_interaction_of_the_figure_occurs(first: str, second: str) -> None:
    seen = {shared(one, two) for _, _, _, one, two in runs(first, second)}
    assert frozenset() in seen
    for row in FIGURE_6_13[first, second]:
        assert frozenset(row) in seen, row


@pytest.mark.parametrize(("first", "second"), FIGURE_6_13)
def test_what_is_not_related_can_be_reordered(first: str, second: str) -> None:
    """The figure's last row: then both sequential orders end as the interleaving did."""
    checked = 0
    for memory, _, after, one, two in runs(first, second)[::5]:
        if shared(one, two):
            continue
        checked += 1
        for order in ("111222", "222111"):
            assert any(
                found == order and _nodes(m) == _nodes(after)
                for found, m, _, _ in together(memory, _again(one), _again(two))
            )
    assert checked > 5


def _again(instance: Instance) -> Instance:
    return start(instance.operation.name, instance.arguments[0], instance.number)


def _nodes(memory: Memory) -> list[tuple[int, int]]:
    """The list from its head: the key and mark of each node (addresses depend on the order)."""
    found, node = [], memory.cells["H",]
    while node:
        found.append((memory.cells.get((node, "key"), 0), memory.cells.get((node, "mark"), 0)))
        node = memory.cells.get((node, "next"), 0)
    return found
