"""Renaming of states: the canonical form, and the signature that compares two orders of steps."""

from __future__ import annotations

from typing import Any

from heapstory.linear.states.layout import Layout, State


class Renaming:
    """One renaming of a state, by order of discovery from the shared variables."""

    def __init__(self, layout: Layout, state: State) -> None:
        self.layout, self.state = layout, state
        self.nodes = {i: i for i in range(len(layout.static) + 1)}
        self.names: dict[int, int] = {0: 0}
        self.values: dict[int, int] = {}
        self.order: list[int] = list(range(1, len(layout.static) + 1))
        self.heap = state[2]

    def value(self, kind: str, value: int) -> int:
        if kind == "ptr":
            found = self.nodes.get(value)
            if found is None:
                found = self.nodes[value] = len(self.nodes)
                self.order.append(value)
            return found
        if kind == "id":
            return self.names.setdefault(value, len(self.names))
        if kind == "val" and value > 0:
            return self.values.setdefault(value, len(self.values) + 1)
        return value

    def result(self) -> State:
        layout, (globals_, arrays, _, instances, started) = self.layout, self.state
        value = self.value
        new_globals = tuple(map(value, layout.global_kinds, globals_))
        new_arrays: list[Any] = [None] * len(arrays)
        for number, (index_kind, kind) in enumerate(layout.array_kinds):
            if index_kind == "int":
                new_arrays[number] = tuple((k, value(kind, v)) for k, v in arrays[number])
        pending = sorted((i for i in instances if i is not None), key=self._key)
        done: list[Any] = []
        self._drain(done)
        renamed = []
        for number, pc, *rest in pending:
            renamed.append((number, pc, *map(value, layout.local_kinds[number], rest)))
            self._drain(done)
        self._named_arrays(new_arrays, done)
        return (new_globals, tuple(new_arrays), (None, *done), tuple(sorted(renamed)), started)

    def _key(self, instance: tuple[int, ...]) -> tuple[Any, ...]:
        kinds = self.layout.local_kinds[instance[0]]
        known = []
        for kind, v in zip(kinds, instance[2:], strict=True):
            if kind == "int":
                known.append(v)
            elif kind == "ptr":
                known.append(self.nodes.get(v, -1))
            else:
                known.append(self.names.get(v, -1) if kind == "id" else self.values.get(v, -1))
        return (instance[0], instance[1], known)

    def _drain(self, done: list[Any]) -> None:
        while len(done) < len(self.order):
            node = self.heap[self.order[len(done)]]
            kinds = self.layout.field_kinds[node[0]]
            width = len(kinds) + 1
            fields = map(self.value, kinds, node[1:width])
            done.append((node[0], *fields, *node[width:]))

    def _content(self, entry: tuple[int, int]) -> tuple[Any, ...]:
        # An order of entries that does not depend on the names of their indices.
        node = self.heap[entry[1]] if entry[1] < len(self.heap) else None
        if node is None:
            return (0,)
        kinds = self.layout.field_kinds[node[0]]
        plain = [v for kind, v in zip(kinds, node[1:], strict=False) if kind == "int"]
        known = [self.nodes.get(entry[1], -1)]
        known += [
            self.values.get(v, -1)
            for kind, v in zip(kinds, node[1:], strict=False)
            if kind == "val"
        ]
        return (1, *plain, *known)

    def _named_arrays(self, new_arrays: list[Any], done: list[Any]) -> None:
        # Arrays indexed by instances or values: entries matter only once their index is known.
        pending = True
        kept: dict[int, dict[int, int]] = {}
        while pending:
            pending = False
            for number, (index_kind, kind) in enumerate(self.layout.array_kinds):
                if index_kind == "int":
                    continue
                table = kept.setdefault(number, {})
                known = self.names if index_kind == "id" else self.values
                for k, v in sorted(self.state[1][number], key=self._content):
                    if number in self.layout.keeps:
                        known.setdefault(k, len(known) + (index_kind == "val"))
                    if k in known and known[k] not in table:
                        table[known[k]] = self.value(kind, v)
                        pending = True
            self._drain(done)
        for number, table in kept.items():
            new_arrays[number] = tuple(sorted(table.items()))


class Signature(Renaming):
    """A renaming that only touches nodes allocated since some earlier state."""

    def __init__(self, layout: Layout, state: State, old: int) -> None:
        super().__init__(layout, state)
        self.nodes = {i: i for i in range(old)}
        self.seen = set(self.order)
        self.names = _Identity()
        self.values = _Identity()

    def value(self, kind: str, value: int) -> int:
        if kind != "ptr" or value == 0:
            return value
        found = self.nodes.get(value)
        if found is None:
            found = self.nodes[value] = len(self.nodes)
        if value not in self.seen:
            self.seen.add(value)
            self.order.append(value)
        return found

    def _key(self, instance: tuple[int, ...]) -> tuple[Any, ...]:
        return (instance[2],)

    def result(self) -> State:
        globals_, arrays, heap, instances, started = super().result()
        named = sorted(zip((self.nodes[a] for a in self.order), heap[1:], strict=True))
        return (globals_, arrays, tuple(named), instances, started)


class _Identity(dict[int, int]):
    """Every number stands for itself."""

    def __missing__(self, key: int) -> int:
        return key

    def __contains__(self, key: object) -> bool:
        return True
