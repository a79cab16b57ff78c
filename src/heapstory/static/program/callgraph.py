"""The call graph: components from callees to callers, and where pointers to functions lead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def components(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Strongly connected components, callees before callers (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    found: list[list[str]] = []
    for start in edges:
        if start in index:
            continue
        work = [(start, iter(_known(edges, start)))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(_known(edges, target))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    found.append(component)
    return found


def _known(edges: Mapping[str, Iterable[str]], node: str) -> list[str]:
    return sorted(t for t in edges[node] if t in edges)


def levels(groups: list[list[str]], edges: Mapping[str, Iterable[str]]) -> list[list[int]]:
    """Components by height: those of one level do not call each other."""
    where = {name: number for number, group in enumerate(groups) for name in group}
    height: list[int] = []
    for number, group in enumerate(groups):
        below = {where[t] for name in group for t in edges[name] if t in where} - {number}
        height.append(1 + max((height[b] for b in below), default=-1))
    found: list[list[int]] = [[] for _ in range(max(height, default=-1) + 1)]
    for number, level in enumerate(height):
        found[level].append(number)
    return found
