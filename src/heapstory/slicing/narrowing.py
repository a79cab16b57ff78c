"""Parts of a slice: what leads through something, and the statements nearest to the criterion."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping

Graph = Mapping[int, Iterable[int]]


def reach(graph: Graph, start: Iterable[int]) -> dict[int, int]:
    """How many edges away each moment is that can be reached, nearest first."""
    distance = dict.fromkeys(start, 0)
    waiting = deque(distance)
    while waiting:
        moment = waiting.popleft()
        for other in graph.get(moment, ()):
            if other not in distance:
                distance[other] = distance[moment] + 1
                waiting.append(other)
    return distance


def reversed_graph(graph: Graph) -> dict[int, list[int]]:
    """Every edge the other way round."""
    made: dict[int, list[int]] = {}
    for moment, others in graph.items():
        for other in others:
            made.setdefault(other, []).append(moment)
    return made


def leading_through(graph: Graph, chosen: set[int]) -> set[int]:
    """The moments that lie on a way from some moment through a chosen one to another."""
    before = reach(graph, chosen)
    after = reach(reversed_graph(graph), chosen)
    return set(before) | set(after)


def nearest(
    distance: Mapping[int, int], statement_of: Callable[[int], int | None], most: int
) -> tuple[set[int], int]:
    """The moments of so many statements, those fewest edges away; how many statements are left."""
    kept: list[int] = []
    for moment in sorted(distance, key=lambda each: distance[each]):
        statement = statement_of(moment)
        if statement is not None and statement not in kept:
            kept.append(statement)
    first = set(kept[:most])
    moments = {m for m in distance if statement_of(m) is None or statement_of(m) in first}
    return moments, max(len(kept) - most, 0)
