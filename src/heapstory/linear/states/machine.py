"""The machine behind the relations: sub-operations compiled to Python functions over tuples.

`Machine.canonical` forgets unreachable nodes and renames nodes, instances and opaque values by
order of discovery; finished instances are dropped and pending ones sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from heapstory.linear.language.syntax import (
    Assign,
    Const,
    Expr,
    Field,
    Free,
    Global,
    Guard,
    Index,
    Local,
    Malloc,
    NoNode,
    OwnId,
    Return,
    SubOperation,
    Sum,
)
from heapstory.linear.program.locks import cell_of
from heapstory.linear.program.needed import needed_cells
from heapstory.linear.program.steps import Program, live_locals, rewindable_locals
from heapstory.linear.states.layout import Layout, State
from heapstory.linear.states.renaming import Renaming, Signature

Move = tuple[int, int, int, State, Any, Any]  # slot, path, pc, next state, answer, arguments
FRESH = 1_000_000_000  # names given to new instances and values until canonical() renames them


class Machine:
    """Runs one program; ``keys`` is the size of the domain for arguments that are numbers.

    ``rewindable`` keeps what `normalise` needs to run a pure read a second time.
    """

    def __init__(self, program: Program, keys: int = 2, rewindable: bool = False) -> None:
        self.program, self.spec, self.keys = program, program.spec, keys
        self.layout = Layout(program)
        # A value that nothing needs any more is forgotten; to run a read again, its inputs stay.
        keep = rewindable_locals if rewindable else live_locals
        self._live = [[frozenset(live) for live in keep(path)] for path in program.paths]
        self._mask = [
            [
                tuple([True] + [n in live for n in self.layout.local_slot[i]])
                for live in self._live[i]
            ]
            for i in range(len(program.paths))
        ]
        self._needed_at = [
            [
                tuple([True] + [n in live for n in self.layout.local_slot[i]])
                for live in live_locals(path)
            ]
            for i, path in enumerate(program.paths)
        ]
        self._needed = needed_cells(self.spec)
        self._bound = ""  # the node that `none` ranges over, while its conditions are compiled
        self._code: list[list[list[Callable[..., Any]]]] = []
        for number, path in enumerate(program.paths):
            self._code.append(
                [[self._compile(sub, number) for sub in step.parts] for step in path.steps]
            )
        self._cache: dict[State, State] = {}

    # -- code ------------------------------------------------------------------------------------

    def _expr(self, expr: Expr, owner: int) -> str:
        match expr:
            case Const(value, _):
                return repr(value)
            case OwnId():
                return "L[0]"
            case Global(name):
                if name in self.layout.static_address:
                    return str(self.layout.static_address[name])
                return f"G[{self.layout.global_slot[name]}]"
            case Local(name):
                return "_n" if name == self._bound else f"L[{self.slot(owner, name)}]"
            case Field(base, struct, name):
                return f"H[{self._expr(base, owner)}][{self._field(struct, name)}]"
            case Index(array, index):
                return f"A[{self.layout.array_slot[array]}].get({self._expr(index, owner)}, 0)"
            case Sum(op, left, right):
                return f"({self._expr(left, owner)} {op} {self._expr(right, owner)})"

    def slot(self, owner: int, name: str) -> int:
        """The position of a local in an instance's tuple of values."""
        if owner < 0:
            return 1 + [v.name for v in self.spec.init_locals].index(name)
        return self.layout.local_slot[owner][name]

    def _field(self, struct: str, name: str) -> int:
        return 1 + [f.name for f in self.spec.fields(struct)].index(name)

    def _compile(self, sub: SubOperation, owner: int) -> Callable[..., Any]:
        lines = ["def step(G, A, H, L):", " out = []", " L0 = L"]
        pad = " "
        chosen = [s for s in sub.body if isinstance(s, Malloc)] if self.program.reuse else []
        for name, struct in sub.picks:
            number = self.layout.structs.index(struct)
            lines.append(f"{pad}for _p{name} in shared_nodes(G, A, H, {number}):")
            pad += " "
        if chosen:
            number = self.layout.structs.index(chosen[0].struct)
            lines.append(f"{pad}for _m in choices(H, {number}):")
            pad += " "
        lines.append(f"{pad}try:")
        pad += " "
        lines.append(f"{pad}L = list(L0)")
        for name, _ in sub.picks:
            lines.append(f"{pad}L[{self.slot(owner, name)}] = _p{name}")
        for name, expr in sub.binds:
            lines.append(f"{pad}L[{self.slot(owner, name)}] = {self._expr(expr, owner)}")
        for cond in sub.guard:
            lines.append(f"{pad}if not ({self._test(cond, owner)}): raise Stuck")
        lines += self._body(sub, owner, pad)
        lines.append(f"{pad[:-1]}except (Stuck, TypeError): pass")
        lines.append(" return out")
        scope: dict[str, Any] = {"Stuck": Stuck, "choices": _choices}
        scope["shared_nodes"] = self._shared_nodes
        exec("\n".join(lines), scope)  # our own generated text: names are slots, never user text
        compiled: Callable[..., Any] = scope["step"]
        return compiled

    def _shared_nodes(self, g: Any, arrays: Any, heap: Any, struct: int) -> list[int]:
        """The nodes of a type that shared memory leads to: what a traversal could find."""
        todo = list(range(1, len(self.layout.static) + 1))
        todo += [v for kind, v in zip(self.layout.global_kinds, g, strict=True) if kind == "ptr"]
        for (_, kind), table in zip(self.layout.array_kinds, arrays, strict=True):
            if kind == "ptr":
                todo += table.values()
        seen = {0}
        while todo:
            address = todo.pop()
            if address not in seen:
                seen.add(address)
                node = heap[address]
                kinds = self.layout.field_kinds[node[0]]
                todo += [v for k, v in zip(kinds, node[1:], strict=False) if k == "ptr"]
        return sorted(a for a in seen if a and heap[a][0] == struct)

    def _test(self, guard: Guard, owner: int) -> str:
        if isinstance(guard, NoNode):
            number = self.layout.structs.index(guard.struct)
            self._bound = guard.name
            inner = " and ".join(self._test(c, owner) for c in guard.conditions)
            self._bound = ""
            return f"not any({inner} for _n in shared_nodes(G, A, H, {number}))"
        return f"{self._expr(guard.left, owner)} {guard.op} {self._expr(guard.right, owner)}"

    def _body(self, sub: SubOperation, owner: int, pad: str) -> list[str]:
        lines = [f"{pad}G1, A1, H1 = list(G), [dict(a) for a in A], list(H)", f"{pad}R = None"]
        first = True
        for statement in sub.body:
            match statement:
                case Assign(target, value):
                    if not self._matters(target):
                        continue
                    lines.append(f"{pad}v = {self._late(value, owner)}")
                    lines += self._store(target, owner, pad)
                case Malloc(target, struct):
                    lines += self._malloc(struct, pad, first)
                    lines += self._store(target, owner, pad)
                    first = False
                case Free(place) if self.program.reuse:
                    lines.append(f"{pad}p = {self._late(place, owner)}; o = list(H1[p])")
                    lines.append(f"{pad}o[-1] = 1; H1[p] = tuple(o)")
                case Return(values):
                    parts = "".join(f"{self._late(v, owner)}, " for v in values)
                    lines.append(f"{pad}R = ({parts})")
        lines.append(f"{pad}out.append((tuple(G1), A1, tuple(H1), tuple(L), R))")
        return lines

    def _matters(self, target: Expr) -> bool:
        cell = cell_of(target)
        return cell is None or cell in self._needed

    def _late(self, expr: Expr, owner: int) -> str:
        text = self._expr(expr, owner)
        for name in "GAH":
            text = text.replace(f"{name}[", f"{name}1[")
        return text

    def _malloc(self, struct: str, pad: str, first: bool) -> list[str]:
        number = self.layout.structs.index(struct)
        width = len(self.spec.fields(struct)) + (1 if self.program.reuse else 0)
        blank = f"({number},{'0,' * width})"
        if self.program.reuse and first:
            return [
                f"{pad}if _m: H1[_m] = (*H1[_m][:-1], 0); v = _m",  # old contents stay
                f"{pad}else: H1.append({blank}); v = len(H1) - 1",
            ]
        return [f"{pad}H1.append({blank}); v = len(H1) - 1"]

    def _store(self, target: Expr, owner: int, pad: str) -> list[str]:
        match target:
            case Global(name):
                return [f"{pad}G1[{self.layout.global_slot[name]}] = v"]
            case Local(name):
                return [f"{pad}L[{self.slot(owner, name)}] = v"]
            case Field(base, struct, name):
                return [
                    f"{pad}p = {self._late(base, owner)}; o = list(H1[p])",
                    f"{pad}o[{self._field(struct, name)}] = v; H1[p] = tuple(o)",
                ]
            case Index(array, index):
                return [
                    f"{pad}k = {self._late(index, owner)}; d = A1[{self.layout.array_slot[array]}]",
                    f"{pad}d[k] = v",
                ]
        raise AssertionError(target)

    # -- running ----------------------------------------------------------------------------------

    def initial(self) -> State:
        """The state before any operation."""
        heap: list[Any] = [None]
        for name in self.layout.static:
            struct = next(v.type for v in self.layout.scalars if v.name == name)
            width = len(self.spec.fields(struct)) + (1 if self.program.reuse else 0)
            heap.append((self.layout.structs.index(struct), *([0] * width)))
        values: list[Any] = [0] * len(self.layout.scalars)
        for number, variable in enumerate(self.layout.scalars):
            if isinstance(variable.initial, Const):
                values[number] = variable.initial.value
            elif variable.name in self.layout.static_address:
                values[number] = self.layout.static_address[variable.name]
        sub = SubOperation("init", "1", (), self.spec.init)
        step = self._compile(sub, -1)
        blanks = (0,) * (1 + len(self.spec.init_locals))
        outcomes = step(tuple(values), [{} for _ in self.layout.arrays], tuple(heap), blanks)
        if not outcomes:
            raise Stuck("the initial state follows NULL")
        globals_, arrays, heap_, _, _ = outcomes[-1]
        return self.canonical((globals_, _pack(arrays), heap_, (), 0))

    def moves(self, state: State, limit: int, base: int = FRESH) -> Iterator[Move]:
        """Every step possible in a state; new instances only while fewer than ``limit`` started."""
        instances = state[3]
        for slot, instance in enumerate(instances):
            if instance is not None:
                yield from self.run(state, slot)
        if state[4] < limit:
            for number in range(len(self.program.paths)):
                yield from self.start(state, number, base)

    def start(
        self, state: State, number: int, base: int = FRESH, only: tuple[int, ...] | None = None
    ) -> Iterator[Move]:
        """The first step of a new instance of a path, for each choice of arguments."""
        operation = self.program.paths[number].operation
        domains = []
        for offset, parameter in enumerate(operation.parameters):
            opaque = self.layout.kinds.parameter(operation, parameter.name) == "val"
            domains.append([base + 1 + offset] if opaque else range(1, self.keys + 1))
        blanks = (0,) * len(operation.locals)
        for arguments in product(*domains) if only is None else (only,):
            fresh = (number, 0, base, *arguments, *blanks)
            globals_, arrays, heap, instances, started = state
            grown = (globals_, arrays, heap, (*instances, fresh), started + 1)
            yield from self.run(grown, len(instances), arguments)

    def forget(self, state: State, slot: int) -> State:
        """The state without those values of an instance that were only kept for rewinding."""
        instance = state[3][slot]
        if instance is None:
            return state
        number, pc, *values = instance
        needed = self._needed_at[number][pc]
        kept = [v if keep else 0 for v, keep in zip(values, needed, strict=True)]
        where = (*state[3][:slot], (number, pc, *kept), *state[3][slot + 1 :])
        return (*state[:3], where, state[4])

    def mask(self, number: int, pc: int) -> tuple[bool, ...]:
        """Which values of an instance are still needed at a step."""
        return self._mask[number][pc]

    def run(self, state: State, slot: int, arguments: Any = None) -> Iterator[Move]:
        """The next step of a pending instance (several where it can choose)."""
        globals_, arrays, heap, instances, started = state
        number, pc, *values = instances[slot]
        frontier = [(globals_, [dict(a) for a in arrays], heap, tuple(values), None)]
        for code in self._code[number][pc]:
            reached = []
            for g, a, h, local, result in frontier:
                for outcome in code(g, a, h, local):
                    if result is not None:
                        outcome = (*outcome[:4], result)
                    reached.append(outcome)
            frontier = reached
            if not frontier:
                return
        last = pc + 1 == len(self._code[number])
        mask = self._mask[number][pc + 1]
        for g, a, h, local, result in frontier:
            after = None
            if not last:
                kept = [v if keep else 0 for v, keep in zip(local, mask, strict=True)]
                after = (number, pc + 1, *kept)
            where = (*instances[:slot], after, *instances[slot + 1 :])
            yield slot, number, pc, (g, _pack(a), h, where, started), result, arguments

    # -- canonical form ---------------------------------------------------------------------------

    def canonical(self, state: State) -> State:
        """The state up to renaming of nodes, instances and opaque values."""
        found = self._cache.get(state)
        if found is None:
            found = self._cache[state] = Renaming(self.layout, state).result()
        return found

    def signature(self, state: State, old: int) -> State:
        """The state up to the addresses of nodes numbered ``old`` or more; all else keeps its name.

        Two orders of the same steps end alike exactly if they have the same signature.
        """
        return Signature(self.layout, state, old).result()


class Stuck(Exception):
    """A guard that does not hold, inside generated code."""


def _choices(heap: tuple[Any, ...], struct: int) -> list[int]:
    freed = [p for p in range(1, len(heap)) if heap[p][0] == struct and heap[p][-1]]
    return [*freed, 0]


def _pack(arrays: list[dict[int, int]]) -> tuple[tuple[tuple[int, int], ...], ...]:
    return tuple(tuple(sorted((k, v) for k, v in a.items() if v != 0)) for a in arrays)
