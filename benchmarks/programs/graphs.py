"""Pseudo-random graphs with the sizes and the skew of the networks in the paper's Table I."""

from bisect import bisect
from itertools import accumulate
from pathlib import Path
from random import Random


def edges(nodes: int, count: int, seed: int, exponent: float) -> list[tuple[int, int]]:
    """Distinct edges without loops; a node's expected degree falls as a power of its rank."""
    # Random.random() is the one method whose sequence Python promises to keep.
    random = Random(seed).random
    names = sorted(range(nodes), key=lambda _: random())
    weights = list(accumulate((rank + 10) ** -exponent for rank in range(nodes)))
    found: dict[tuple[int, int], None] = {}
    taken: set[tuple[int, int]] = set()
    while len(found) < count:
        source = names[bisect(weights, random() * weights[-1])]
        target = names[bisect(weights, random() * weights[-1])]
        ends = (min(source, target), max(source, target))
        if source != target and ends not in taken:
            taken.add(ends)
            found[source, target] = None
    return list(found)


def write(path: Path, nodes: int, count: int, seed: int, exponent: float = 0.7) -> None:
    lines = [f"{nodes} {count}", *(f"{a} {b}" for a, b in edges(nodes, count, seed, exponent))]
    path.write_text("\n".join(lines) + "\n")
