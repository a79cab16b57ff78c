"""The constraints that inference tries, from the fields a type has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, permutations

from heapstory.constraints.binding.layout import Array
from heapstory.inference.checking import Candidate
from heapstory.inference.facts import TypeFacts

Values = dict[str, dict[str, list[int]]]  # by type and field, ascending
LEAST_ADDRESS = 1 << 32  # of a block: heaps lie above
SHAPE, ORDER, LINKS, HEIGHTS, VALUES = "shape", "order", "links", "heights", "values"


class Templates:
    """Candidates for the types of one program; keys are unique."""

    def __init__(self, known: dict[str, TypeFacts], values: Values) -> None:
        self.known, self.values = known, values
        self._numbers = count(1)
        self._is_only = sum(bool(facts.edges) for facts in known.values()) == 1

    def _over(self, t: TypeFacts, fields: list[str] | None = None) -> str:
        """``[left, right]`` after a degree; nothing where all counted edges are meant."""
        if self._is_only and fields in (None, t.edges):
            return ""
        return f"[{', '.join(f'{t.name}.{name}' for name in fields or t.edges)}]"

    def _edge(self, t: TypeFacts, fields: list[str] | None = None) -> str:
        """``X -> Y`` over the edges of a type, or over some of them."""
        x, y = variables(t)
        over = self._over(t, fields)
        return f"{x} -{over}-> {y}" if over else f"{x} -> {y}"

    def all(self) -> list[Candidate]:
        found: list[Candidate] = []
        for facts in self.known.values():
            for make in (self._shape, self._order, self._links, self._heights, self._values):
                found += make(facts)
        return found

    def _one(
        self,
        facts: TypeFacts,
        group: str,
        body: str,
        guard: str = "",
        *,
        ladder: str = "",
        attribute: str = "",
        doubtful: bool = False,
        loop: str = "",
    ) -> Candidate:
        text = f"{loop}{guard} => {body};" if guard else f"{loop}{body};"
        guard = "" if loop else guard
        key = f"k{next(self._numbers)}"
        body = "" if loop else body
        ladder = f"{facts.name} {ladder}" if ladder else ""
        return Candidate(key, facts.name, text, group, guard, body, attribute, ladder, doubtful)

    def _line(self, facts: TypeFacts, group: str, text: str, ladder: str = "") -> Candidate:
        ladder = f"{facts.name} {ladder}" if ladder else ""
        return Candidate(f"k{next(self._numbers)}", facts.name, text, group, ladder=ladder)

    # Shape: trees, lists, degrees.

    def _shape(self, t: TypeFacts) -> Iterator[Candidate]:
        edges = ", ".join(t.edges)
        if not edges:
            return
        x, _ = variables(t)
        for name in ("tree", "circular", "forest", "acyclic"):
            if name != "circular" or len(t.edges) == 1:
                yield self._line(t, SHAPE, f"{name}({t.name}, {edges});", "shape")
        into = f"{x}.INDEGREE{self._over(t)}"
        yield self._one(t, SHAPE, f"{into} == 1", ladder="shape")
        yield self._one(t, SHAPE, f"{into} <= 1", ladder="shape")
        for edge in t.edges:
            if len(t.edges) > 1:
                yield self._line(t, SHAPE, f"acyclic({t.name}, {edge});", "shape")
        out, most = f"{x}.OUTDEGREE{self._over(t)}", self._most(t)
        leaf = f"{x}.ISLEAF{self._over(t)}"
        if 1 < most <= 64:
            yield self._one(t, SHAPE, f"{out} == {most}", f"{leaf} == false", ladder="out")
        yield self._one(t, SHAPE, f"{out} == 1", ladder="out")
        for name in t.numbers:
            yield self._one(t, SHAPE, f"{out} == {x}.{name} + 1", f"{leaf} == false", ladder="out")
            yield self._one(t, SHAPE, f"{out} == {x}.{name}", ladder="out")
        for name, target in t.pointers.items():
            if target != t.name and name not in t.arrays:
                yield self._one(t, SHAPE, f"{x}.{name} == NULL", f"{leaf} == false")

    def _most(self, t: TypeFacts) -> int:
        most = 0
        for part in t.layout.parts:
            name = part.name.replace("[]", "")
            if name in t.edges:
                most += (getattr(part, "count", 1) or 65) if part.name.endswith("[]") else 1
        return most

    # Order of keys.

    def _order(self, t: TypeFacts) -> Iterator[Candidate]:
        x, y = variables(t)
        for name in t.words:
            seen = self.values.get(t.name, {}).get(name, [0])
            if len(seen) > 4:  # the order of addresses is chance more often than not
                for order in self._search_order(t, name):
                    yield replace(order, doubtful=max(seen) >= LEAST_ADDRESS)
        for name in t.numbers:
            if t.edges and len(self.values.get(t.name, {}).get(name, ())) > 4:
                yield from self._order_of(t, name)
        for name in self._far_keys(t):
            yield from self._order_of(t, name)
        for name in t.numbers:
            if t.blocks > 4:
                text = f"unique({t.name}.{name});"
                unique = self._line(t, ORDER, text, f"unique {name}")
                yield replace(unique, doubtful=not t.edges)
        for edge in t.edges:
            to = self._edge(t, [edge])
            for name in self._kinds(t):
                yield self._one(
                    t, ORDER, f"{x}.{name} == {y}.{name}", to, ladder=f"kin {name} {edge}"
                )
                yield self._one(
                    t, ORDER, f"{x}.{name} != {y}.{name}", to, ladder=f"kin {name} {edge}"
                )
        yield from self._array_order(t)

    def _far_keys(self, t: TypeFacts) -> Iterator[str]:
        """Numbers in what a node points to: ``data.key``, ``key[0]``."""
        if t.edges:
            yield from (f"{name}[0]" for name in t.far_numbers)
        for name, kind in t.pointers.items() if t.edges else ():
            target = self.known.get(kind)
            if target is None or target is t or target.edges or name in t.arrays:
                continue
            for number in target.numbers:
                if len(self.values.get(kind, {}).get(number, ())) > 4:
                    yield f"{name}.{number}"

    def _order_of(self, t: TypeFacts, name: str) -> Iterator[Candidate]:
        x, y = variables(t)
        yield from self._search_order(t, name)
        over = self._edge(t)
        for sign in ("<", ">", "<=", ">="):
            yield self._one(t, ORDER, f"{x}.{name} {sign} {y}.{name}", over, ladder=f"order {name}")

    def _search_order(self, t: TypeFacts, name: str) -> Iterator[Candidate]:
        x, _ = variables(t)
        for left, right in permutations(self._sides(t), 2):
            # Of an array of two children the name stands for both.
            way = f"[{', '.join(dict.fromkeys(one.partition('[')[0] for one in (left, right)))}]"
            less = f"MAX({x}.{left}, {name}, {way}) < {x}.{name}"
            more = f"MIN({x}.{right}, {name}, {way}) > {x}.{name}"
            yield self._one(t, ORDER, f"{less} and {more}", ladder=f"order {name}")

    def _sides(self, t: TypeFacts) -> list[str]:
        """The edges one by one; of an array those of two elements: ``child[0]``, ``child[1]``."""
        counts = {
            part.name.replace("[]", ""): part.count
            for part in t.layout.parts
            if isinstance(part, Array)
        }
        sides: list[str] = []
        for edge in t.edges:
            if edge not in t.arrays:
                sides.append(edge)
            elif counts.get(edge) == 2:
                sides += [f"{edge}[0]", f"{edge}[1]"]
        return sides

    def _array_order(self, t: TypeFacts) -> Iterator[Candidate]:
        x, _ = variables(t)
        for keys in t.number_arrays:
            for length in t.numbers:
                loop = f"for I in 1 to {x}.{length} - 1, "
                body = f"{x}.{keys}[I - 1] < {x}.{keys}[I]"
                yield self._one(t, ORDER, body, loop=loop, ladder=f"ascending {keys}")
                for child in t.edges:
                    if child in t.arrays:
                        below = (
                            f"MAX({x}.{child}[I], {keys}[{length} - 1]) < {x}.{keys}[I] and "
                            f"{x}.{keys}[I] < MIN({x}.{child}[I + 1], {keys}[0])"
                        )
                        loop = f"for I in 0 to {x}.{length} - 1, "
                        yield self._one(t, ORDER, below, loop=loop, ladder=f"guides {keys}")

    # Pointers that answer each other.

    def _links(self, t: TypeFacts) -> Iterator[Candidate]:
        x, y = variables(t)
        for back in t.back:
            over = self._edge(t)
            yield self._one(t, LINKS, f"{y}.{back} == {x}", over)
            top = f"{x}.ISROOT{self._over(t)} == true"
            yield self._one(t, LINKS, f"{x}.{back} == NULL", top)
            some = " or ".join(f"{x}.{back}.{e} == {x}" for e in t.edges if e not in t.arrays)
            if some:
                yield self._one(t, LINKS, some, f"{x}.{back} != NULL")
        single = [p for p in t.pointers if p not in t.arrays]
        for name in single:
            target = self.known.get(t.pointers[name])
            yield self._one(t, LINKS, f"{x}.{name} != NULL", ladder=f"null {name}")
            if target is None or name in t.edges or name in t.back:
                continue
            for answer, to in target.pointers.items():
                if to == t.name and answer not in target.arrays:
                    body = f"{x}.{name}.{answer} == {x}"
                    yield self._one(t, LINKS, body, f"{x}.{name} != NULL")
            if target.name != t.name:
                for end in target.edges:
                    if end not in target.arrays:
                        body = f"{x}.{name}.{end} == NULL"
                        yield self._one(t, LINKS, body, f"{x}.{name} != NULL")
        yield from self._paths(t, single)

    def _paths(self, t: TypeFacts, single: list[str]) -> Iterator[Candidate]:
        """Fields that two ways to nodes of one type must agree or differ in."""
        x, _ = variables(t)
        ways: list[tuple[str, str]] = []
        for name in single:
            ways.append((name, t.pointers[name]))
            target = self.known.get(t.pointers[name])
            for further, to in target.pointers.items() if target else ():
                if further not in (target.arrays if target else ()):
                    ways.append((f"{name}.{further}", to))
        for i, (one, kind) in enumerate(ways):
            for other, same in ways[i + 1 :]:
                if kind != same or kind == t.name or kind not in self.known:
                    continue
                for name in self._kinds(self.known[kind]):
                    for sign in ("==", "!="):
                        body = f"{x}.{one}.{name} {sign} {x}.{other}.{name}"
                        yield self._one(t, LINKS, body, ladder=f"kin {one} {other} {name}")

    def _kinds(self, t: TypeFacts) -> list[str]:
        """Fields with a few values, such as colours and sides."""
        values = self.values.get(t.name, {})
        return [name for name in t.numbers if 2 <= len(values.get(name, ())) <= 4]

    # Heights and counts.

    def _heights(self, t: TypeFacts) -> Iterator[Candidate]:
        x, y = variables(t)
        sides = self._sides(t)
        leaf = f"{x}.ISLEAF{self._over(t)} == true"
        if len(sides) == 2 and self._most(t) == 2:
            yield from self._binary(t, leaf, *sides)
        for child in t.edges:
            if child in t.arrays:
                rule = attribute(t, "DEPTH", leaf, "0", f"{x}.{child}[0].DEPTH + 1")
                over = self._edge(t, [child])
                yield self._one(t, HEIGHTS, f"{y}.DEPTH == {x}.DEPTH - 1", over, attribute=rule)
        for name, target in t.pointers.items():
            if target != t.name and self.known[target].edges:
                for size in t.numbers:
                    body = f"COUNT({x}.{name}, *) == {x}.{size}"
                    yield self._one(t, HEIGHTS, body, ladder=f"count {size}")
        for name in t.layout_arrays():
            for size in t.numbers:
                body = f"COUNT({x}.{name}, *) == {x}.{size}"
                yield self._one(t, HEIGHTS, body, ladder=f"count {size}")

    def _binary(self, t: TypeFacts, leaf: str, left: str, right: str) -> Iterator[Candidate]:
        x, _ = variables(t)
        tallest = f"max({x}.{left}.HEIGHT, {x}.{right}.HEIGHT) + 1"
        height = attribute(t, "HEIGHT", leaf, "0", tallest)
        nearest = f"min({x}.{left}.NEAREST, {x}.{right}.NEAREST) + 1"
        null_path = attribute(t, "NEAREST", leaf, "0", nearest)
        balanced = f"|{x}.{left}.HEIGHT - {x}.{right}.HEIGHT| <= 1"
        yield self._one(t, HEIGHTS, balanced, attribute=height)
        for name in t.numbers:
            for plus in ("", " + 1"):
                body = f"{x}.{name} == {x}.HEIGHT{plus}"
                yield self._one(t, HEIGHTS, body, attribute=height, ladder=f"is {name}")
            for plus in ("", " + 1"):
                body = f"{x}.{name} == {x}.NEAREST{plus}"
                yield self._one(t, HEIGHTS, body, attribute=null_path, ladder=f"is {name}")
            body = f"{x}.{name} == COUNT({x}, *)"
            yield self._one(t, HEIGHTS, body, ladder=f"is {name}")
            both = f"{x}.{left} != NULL and {x}.{right} != NULL"
            body = f"{x}.{name} == {x}.{left}.{name} + {x}.{right}.{name}"
            yield self._one(t, HEIGHTS, body, both, ladder=f"is {name}")
        for one, other in ((left, right), (right, left)):
            body = f"{x}.{one}.NEAREST >= {x}.{other}.NEAREST"
            yield self._one(t, HEIGHTS, body, attribute=null_path, ladder="leftist")
        yield from self._colours(t, leaf, left, right)

    def _colours(self, t: TypeFacts, leaf: str, left: str, right: str) -> Iterator[Candidate]:
        x, y = variables(t)
        over = self._edge(t)
        for name in self._kinds(t):
            for value in self.values[t.name][name]:
                yield self._one(
                    t, HEIGHTS, f"{y}.{name} != {value}", f"{over} and {x}.{name} == {value}"
                )
                top = f"{x}.ISROOT{self._over(t)} == true"
                yield self._one(t, HEIGHTS, f"{x}.{name} == {value}", top, ladder=f"top {name}")
                word = f"LEVEL_{name}_{value}".upper().replace("-", "M")
                step = f"({x}.{{0}}.{name} == {value} ? {x}.{{0}}.{word} : {x}.{{0}}.{word} + 1)"
                rule = attribute(t, word, leaf, "0", step.format(left))
                body = f"{step.format(left)} == {step.format(right)}"
                yield self._one(t, HEIGHTS, body, attribute=rule, ladder=f"levels {name}")

    # Values.

    def _values(self, t: TypeFacts) -> Iterator[Candidate]:
        x, _ = variables(t)
        values = self.values.get(t.name, {})
        for name in t.numbers:
            seen = values.get(name, [])
            if t.blocks >= 20 and 2 <= len(seen) <= 4:
                body = " or ".join(f"{x}.{name} == {value}" for value in seen)
                yield self._one(t, VALUES, body)
            elif len(seen) == 1 and t.blocks >= 3:
                yield self._one(t, VALUES, f"{x}.{name} == {seen[0]}", doubtful=True)
            elif seen:
                body = f"{x}.{name} >= {min(seen)} and {x}.{name} <= {max(seen)}"
                yield self._one(t, VALUES, body, doubtful=True)
        for one, other in permutations(t.numbers, 2):
            if len(values.get(one, ())) > 1 and len(values.get(other, ())) > 1:
                yield self._one(t, VALUES, f"{x}.{one} <= {x}.{other}", doubtful=True)


def variables(t: TypeFacts) -> tuple[str, str]:
    """The names of two variables of a type; each type has its own."""
    return f"X_{t.name}", f"Y_{t.name}"


def attribute(t: TypeFacts, name: str, leaf: str, terminal: str, value: str) -> str:
    x, _ = variables(t)
    rule = f"{leaf} => {x}.{name} = {terminal} || {x}.{name} = {value};"
    return f"{t.name}.{name}; {rule}"
