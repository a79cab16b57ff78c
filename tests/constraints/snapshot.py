"""Plans evaluated the plainest way: over one moment of the naive model, trying every binding.

It follows the text of `heapstory.constraints.plan` sentence by sentence; `canonical` gives the
witnesses that shapes ask for.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from heapstory.constraints.plan import (
    ATOMS,
    Binder,
    BinderKind,
    EdgeRef,
    Expr,
    Kind,
    Op,
    Plan,
    PlanConstraint,
    PlanField,
    Quantifier,
    ShapeKind,
)
from tests.naive import Heap

WORD = 8
BIG = 1 << 127


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
ABSENT = "absent"


@dataclass(frozen=True, order=True)
class Object:
    node: int
    base: int = 0


@dataclass(frozen=True)
class Pointer:
    """null, live, stale or wild."""

    kind: str
    node: int = -1
    offset: int = 0
    address: int = 0


Binding = tuple[Any, ...]  # objects of the FORALL variables, then numbers of the loops


@dataclass(frozen=True)
class Found:
    """An inconsistency: the number of a constraint and the binding it does not hold for."""

    constraint: int
    binding: Binding


class Snapshot:
    """One moment of a heap; `types` gives the trace type of a node, `stacks` its call stack."""

    def __init__(
        self,
        plan: Plan,
        heap: Heap,
        types: dict[int, int],
        stacks: dict[int, int] | None = None,
    ) -> None:
        self.plan, self.heap, self.types, self.stacks = plan, heap, types, stacks or {}
        self.nodes = {node.id: node for node in heap.alive()}
        self._attributes: dict[tuple[int, Object], Any] = {}

    # Objects.

    @cached_property
    def objects(self) -> list[list[Object]]:
        """The live objects of each type, in order."""
        return [sorted(set(self._objects(i))) for i in range(len(self.plan.types))]

    def _objects(self, index: int) -> Iterator[Object]:
        kind = self.plan.types[index]
        for node in self.nodes.values():
            for member in kind.members:
                if member.type_id is not None:
                    mine = node.kind == "heap" and self.types.get(node.id) == member.type_id
                elif member.stacks:
                    mine = node.kind == "heap" and self.stacks.get(node.id) in member.stacks
                else:
                    mine = node.id == member.node
                base = member.base
                while mine and base + kind.size <= node.size:
                    yield Object(node.id, base)
                    if not member.stride:
                        break
                    base += member.stride

    def is_object(self, one: Any, kind: int) -> bool:
        return one in self.objects[kind]

    @cached_property
    def everything(self) -> list[Object]:
        return sorted({one for objects in self.objects for one in objects})

    # Memory.

    def _bytes(self, address: int, size: int) -> bytes | None:
        found = [self.heap.bytes.get(address + i) for i in range(size)]
        return None if None in found else bytes(b for b in found if b is not None)

    def pointer(self, address: int) -> Any:
        """The word at an address, resolved."""
        data = self._bytes(address, WORD)
        if data is None:
            return UNKNOWN
        value = int.from_bytes(data, "little")
        if value == 0:
            return Pointer("null")
        stored = max(self.heap.stored[address + i] for i in range(WORD))
        for node in self.heap.nodes:
            ended = node.died is not None and node.died <= stored
            if node.holds(value) and node.born <= stored and not ended:
                kind = "live" if node.freed is None else "stale"
                return Pointer(kind, node.id, value - node.address, value)
        return Pointer("wild", address=value)

    def read(self, one: Object, field: PlanField, offset: int) -> Any:
        """A field at an offset from the base of an object."""
        node = self.nodes[one.node]
        where = one.base + offset
        if where < 0 or where + field.size > node.size:
            return UNKNOWN
        address = node.address + where
        if field.kind is Kind.CHARS:
            return self._text(address, field.size)
        if field.kind in (Kind.POINTER, Kind.WORD) and field.size == WORD:
            value = self.pointer(address)
            if field.kind is Kind.WORD and isinstance(value, Pointer) and value.kind == "wild":
                return value.address - (1 << 64) * (value.address >> 63)
            return value
        data = self._bytes(address, field.size)
        if data is None:
            return UNKNOWN
        if field.kind is Kind.FLOAT:
            return float(struct.unpack("<f" if field.size == 4 else "<d", data)[0])
        number = int.from_bytes(data, "little", signed=field.kind is not Kind.UINT)
        if field.bit_size:
            number = (number >> field.bit_offset) & ((1 << field.bit_size) - 1)
            if field.kind is Kind.INT and number >> (field.bit_size - 1):
                number -= 1 << field.bit_size
        return number

    def _text(self, address: int, size: int) -> Any:
        text = bytearray()
        for i in range(size):
            byte = self.heap.bytes.get(address + i)
            if byte is None:
                return UNKNOWN
            if byte == 0:
                break
            text.append(byte)
        return bytes(text)

    # Edges.

    def _words(self, one: Object, ref: EdgeRef) -> Iterator[tuple[int, Any]]:
        """(offset, value) of the pointers of an edge reference in an object."""
        if not self.is_object(one, ref.type):
            return
        kind = self.plan.types[ref.type]
        if ref.field is not None:
            field = kind.fields[ref.field]
            yield field.offset, self.read(one, field, field.offset)
            return
        assert ref.run is not None
        run = kind.runs[ref.run]
        for i in range(self.extent(one, ref.type, ref.run)):
            offset = run.field.offset + i * run.stride
            yield offset, self.read(one, run.field, offset)

    def extent(self, one: Object, kind: int, number: int) -> int:
        run = self.plan.types[kind].runs[number]
        if run.count is not None:
            return run.count
        room = self.nodes[one.node].size - one.base - run.field.offset - run.field.size
        return room // run.stride + 1 if room >= 0 else 0

    def object_of(self, value: Any) -> Object | None:
        """The object that a value is or points to."""
        if isinstance(value, Object):
            return value if value in self.everything else None
        if isinstance(value, Pointer) and value.kind == "live":
            return self.object_of(Object(value.node, value.offset))
        return None

    def edges(self, number: int) -> list[tuple[Object, Object]]:
        """All edges of a set, in order of source and offset; several between two count."""
        if number not in self._edges:
            found = []
            for one in self.everything:
                words = [w for ref in self.plan.edge_sets[number] for w in self._words(one, ref)]
                for _, value in sorted(words, key=lambda word: word[0]):
                    target = self.object_of(value)
                    if target is not None and (number or self._declared(target)):
                        found.append((one, target))
            self._edges[number] = found
        return self._edges[number]

    @cached_property
    def _edges(self) -> dict[int, list[tuple[Object, Object]]]:
        return {}

    def _declared(self, one: Object) -> bool:
        kinds = enumerate(self.plan.types)
        return any(not kind.implied and self.is_object(one, i) for i, kind in kinds)

    def reached(self, start: Object, edges: int) -> set[Object]:
        """The ends of the paths from an object."""
        found: set[Object] = set()
        todo = [start]
        while todo:
            one = todo.pop()
            for target in self._after(one, edges):
                if target not in found:
                    found.add(target)
                    todo.append(target)
        return found

    def _after(self, one: Object, edges: int) -> list[Object]:
        return [target for source, target in self.edges(edges) if source == one]

    # Roots and instances.

    def _holders(self, kind: int) -> Iterator[tuple[Object, list[Object]]]:
        """Who holds roots of a type, and the objects they point to."""
        found: dict[Object, list[Object]] = {}
        for root in self.plan.types[kind].roots:
            if root.type is not None:
                ref = EdgeRef(root.type, root.field, root.run)
                for one in self.objects[root.type]:
                    for _, value in self._words(one, ref):
                        found.setdefault(one, []).append(value)
            elif root.node in self.nodes:
                start = self.nodes[root.node].address + root.offset
                for i in range(root.count):
                    held = self.pointer(start + WORD * i)
                    found.setdefault(Object(root.node, 0), []).append(held)
        for holder in sorted(found):
            targets = (self.object_of(value) for value in found[holder])
            yield holder, [target for target in targets if target is not None]

    def instance(self, one: Object, kind: int) -> Object | None:
        for holder, roots in self._holders(kind):
            for root in roots:
                if one == root or one in self.reached(root, 0):
                    return holder
        return None

    # Constraints.

    def violations(self, number: int) -> list[Found]:
        """Every binding that violates a constraint."""
        constraint = self.plan.constraints[number]
        forall = [v for v in constraint.variables if v.quantifier is Quantifier.FORALL]
        found = []
        for objects in itertools.product(*(self.objects[v.type] for v in forall)):
            for numbers in self._loops(constraint, list(objects)):
                binding = (*objects, *numbers)
                if self.is_violated(Found(number, binding)):
                    found.append(Found(number, binding))
        return found

    def _loops(self, constraint: PlanConstraint, objects: list[Any]) -> Iterator[tuple[int, ...]]:
        """The numbers the loops run over, given the FORALL variables."""
        ranges = []
        for loop in constraint.loops:
            padded = self._environment(constraint, tuple(objects))
            first = _number(self.value(loop.first, padded))
            last = _number(self.value(loop.last, padded))
            if not isinstance(first, int) or not isinstance(last, int):
                return
            ranges.append(range(first, last + 1))
        yield from itertools.product(*ranges)

    @staticmethod
    def _environment(constraint: PlanConstraint, binding: Binding) -> list[Any]:
        """The values of variables ++ loops; those of EXISTS variables come later."""
        forall = sum(v.quantifier is Quantifier.FORALL for v in constraint.variables)
        exists = len(constraint.variables) - forall
        return [*binding[:forall], *([None] * exists), *binding[forall:]]

    def is_alive(self, found: Found) -> bool:
        constraint = self.plan.constraints[found.constraint]
        if constraint.shape.kind is ShapeKind.ACYCLIC:  # any type
            return all(self.object_of(one) is not None for one in found.binding)
        forall = [v for v in constraint.variables if v.quantifier is Quantifier.FORALL]
        return all(
            self.is_object(one, v.type) for v, one in zip(forall, found.binding, strict=False)
        )

    def is_violated(self, found: Found) -> bool:
        constraint = self.plan.constraints[found.constraint]
        if not self.is_alive(found) or not self._one_instance(constraint, found.binding):
            return False
        values = self._environment(constraint, found.binding)
        if constraint.guard is not None and self.value(constraint.guard, values) is not True:
            return False
        return self._body(constraint, values) is False

    def _one_instance(self, constraint: PlanConstraint, binding: Binding) -> bool:
        if constraint.shape.kind is ShapeKind.ACYCLIC:
            return True
        forall = [v for v in constraint.variables if v.quantifier is Quantifier.FORALL]
        for kind in {v.type for v in forall}:
            mine = {one for v, one in zip(forall, binding, strict=False) if v.type == kind}
            if self.plan.types[kind].roots and len({self.instance(x, kind) for x in mine}) > 1:
                return False
        return True

    def _body(self, constraint: PlanConstraint, values: list[Any]) -> Any:
        exists = [
            i for i, v in enumerate(constraint.variables) if v.quantifier is Quantifier.EXISTS
        ]
        if not exists:
            return self.value(constraint.body, values)
        truths = [self.value(constraint.body, v) for v in self._filled(constraint, exists, values)]
        return True if True in truths else UNKNOWN if UNKNOWN in truths else False

    def _filled(
        self, constraint: PlanConstraint, exists: list[int], values: list[Any]
    ) -> Iterator[list[Any]]:
        """The values with every choice of the EXISTS variables."""
        if not exists:
            yield values
            return
        variable = constraint.variables[exists[0]]
        for one in self._candidates(variable.binder, variable.type, values):
            filled = [*values[: exists[0]], one, *values[exists[0] + 1 :]]
            yield from self._filled(constraint, exists[1:], filled)

    def _candidates(self, binder: Binder, kind: int, values: list[Any]) -> list[Object]:
        """The objects among which an EXISTS variable is looked for."""
        everything = self.objects[kind]
        if binder.of is None:
            return everything
        of = self.object_of(self.value(binder.of, values))
        edges = self.edges(binder.edges)
        return [
            one
            for one in everything
            if of is not None
            and {
                BinderKind.VALUE: one == of,
                BinderKind.OUT: (of, one) in edges,
                BinderKind.IN: (one, of) in edges,
                BinderKind.REACHED: one in self.reached(of, binder.edges),
                BinderKind.REACHING: of in self.reached(one, binder.edges),
            }[binder.kind]
        ]

    def canonical(self, number: int) -> list[Found]:
        """The witnesses that the shape of a constraint asks for."""
        constraint = self.plan.constraints[number]
        kind = constraint.shape.kind
        if kind is ShapeKind.NESTED:
            return self.violations(number)
        pairs = {
            ShapeKind.ACYCLIC: self._back_edges,
            ShapeKind.CONNECTED: self._unconnected,
            ShapeKind.UNIQUE: self._doubles,
            ShapeKind.ROOTED: self._lost,
        }[kind](constraint)
        return [Found(number, pair) for pair in pairs]

    def _back_edges(self, constraint: PlanConstraint) -> list[Binding]:
        edges, found = constraint.shape.edges, []
        done: set[Object] = set()

        def visit(one: Object, above: list[Object]) -> None:
            done.add(one)
            for target in self._after(one, edges):
                if target in [*above, one]:
                    found.append((one, target))
                elif target not in done:
                    visit(target, [*above, one])

        for one in self.everything:
            if one not in done:
                visit(one, [])
        return list(dict.fromkeys(found))

    def _groups(self, kind: int) -> list[list[Object]]:
        """The objects of a type by instance."""
        if not self.plan.types[kind].roots:
            return [self.objects[kind]]
        groups: dict[Object | None, list[Object]] = {}
        for one in self.objects[kind]:
            groups.setdefault(self.instance(one, kind), []).append(one)
        return list(groups.values())

    def _unconnected(self, constraint: PlanConstraint) -> list[Binding]:
        found: list[Binding] = []
        edges = constraint.shape.edges
        for group in self._groups(constraint.variables[0].type):
            for first in group[:1]:
                found += [(first, one) for one in group if one not in self.reached(first, edges)]
                found += [
                    (one, first) for one in group[1:] if first not in self.reached(one, edges)
                ]
        return found

    def _doubles(self, constraint: PlanConstraint) -> list[Binding]:
        shape, found = constraint.shape, []
        for group in self._groups(constraint.variables[0].type):
            firsts: list[tuple[list[Any], Object]] = []
            for one in group:
                if shape.filter is not None and self.value(shape.filter, [one]) is not True:
                    continue
                keys = [self.value(key, [one]) for key in shape.keys]
                if UNKNOWN in keys:
                    continue
                same = [
                    first
                    for other, first in firsts
                    if all(self._equal(a, b) is True for a, b in zip(keys, other, strict=True))
                ]
                if same:
                    found.append((same[0], one))
                else:
                    firsts.append((keys, one))
        return found

    def _lost(self, constraint: PlanConstraint) -> list[Binding]:
        kind = constraint.variables[0].type
        lost = [one for one in self.objects[kind] if self.instance(one, kind) is None]
        found = []
        for one in lost:
            above = [other for other in lost if one in self.reached(other, 0)]
            circle = [other for other in above if other in self.reached(one, 0)]
            if set(above) <= {*circle, one} and one == min([*circle, one]):
                found.append((one,))
        return found

    # Arguments.

    def arguments(self, found: Found) -> Any:
        """The values of the atoms of an inconsistency."""
        if not self.is_alive(found):
            return ABSENT
        constraint = self.plan.constraints[found.constraint]
        values = self._environment(constraint, found.binding)
        exists = {
            i for i, v in enumerate(constraint.variables) if v.quantifier is Quantifier.EXISTS
        }
        parts = [constraint.guard, constraint.body]
        atoms = [atom for part in parts if part is not None for atom in _atoms(part)]
        known = [atom for atom in atoms if not _mentioned(atom) & exists]
        answers = [self.value(atom, values) for atom in known]
        if exists:
            answers.append(self._body(constraint, values))
        return tuple(answers)

    # Expressions.

    def value(self, expr: Expr, values: list[Any]) -> Any:
        """The value of an expression with some variables bound."""
        op = expr.op
        if op is Op.IF:
            chosen = 1 if self.value(expr.args[0], values) is True else 2
            return self.value(expr.args[chosen], values)
        if op is Op.EXISTS:
            return self._exists(expr, values)
        if op is Op.AGGREGATE:
            return self._aggregate(expr, values)
        if op is Op.VARIABLE:
            return values[expr.index]
        args = [self.value(arg, values) for arg in expr.args]
        return getattr(self, f"_op_{op.value}")(expr, *args)

    def _bound(self, expr: Expr, values: list[Any], one: Object) -> list[Any]:
        padded = [*values, *([None] * (expr.index + 1 - len(values)))]
        padded[expr.index] = one
        return padded

    def _exists(self, expr: Expr, values: list[Any]) -> Any:
        assert expr.type is not None
        truths = [
            self.value(expr.args[0], self._bound(expr, values, one))
            for one in self._candidates(expr.binder, expr.type, values)
        ]
        return True if True in truths else UNKNOWN if UNKNOWN in truths else False

    def _aggregate(self, expr: Expr, values: list[Any]) -> Any:
        start = self.value(expr.args[0], values)
        if isinstance(start, Pointer) and start.kind == "null":
            return 0 if expr.text in ("count", "sum") else UNKNOWN
        first = self.object_of(start)
        if first is None:
            return UNKNOWN
        reached = sorted({first} | self.reached(first, expr.edges))
        if expr.type is not None:
            reached = [one for one in reached if self.is_object(one, expr.type)]
        gathered = [self.value(expr.args[1], self._bound(expr, values, one)) for one in reached]
        if expr.text == "count":
            return sum(value is True for value in gathered)
        known = [_number(value) for value in gathered if value is not UNKNOWN]
        if expr.text == "sum":
            return sum(known)
        return (min if expr.text == "min" else max)(known) if known else UNKNOWN

    def _typed(self, value: Any, kind: int) -> Object | None:
        one = self.object_of(value)
        return one if one is not None and self.is_object(one, kind) else None

    def _op_field(self, expr: Expr, base: Any) -> Any:
        assert expr.type is not None
        one = self._typed(base, expr.type)
        field = self.plan.types[expr.type].fields[expr.index]
        return UNKNOWN if one is None else self.read(one, field, field.offset)

    def _op_index(self, expr: Expr, base: Any, index: Any) -> Any:
        assert expr.type is not None
        one, run = self._typed(base, expr.type), self.plan.types[expr.type].runs[expr.index]
        if one is None or index is UNKNOWN:
            return UNKNOWN
        if not 0 <= index < self.extent(one, expr.type, expr.index):
            return UNKNOWN
        return self.read(one, run.field, run.field.offset + index * run.stride)

    def _op_extent(self, expr: Expr, base: Any) -> Any:
        assert expr.type is not None
        one = self._typed(base, expr.type)
        return UNKNOWN if one is None else self.extent(one, expr.type, expr.index)

    def _op_string(self, expr: Expr, base: Any) -> Any:
        if not isinstance(base, Pointer) or base.kind != "live":
            return UNKNOWN
        room = self.nodes[base.node].size - base.offset
        text = self._text(base.address, min(room, 4096))
        ended = text is not UNKNOWN and len(text) < min(room, 4096)
        return text if ended else UNKNOWN

    def _op_attribute(self, expr: Expr, base: Any) -> Any:
        attribute = self.plan.attributes[expr.index]
        if isinstance(base, Pointer) and base.kind == "null":
            return UNKNOWN if attribute.null is None else attribute.null
        one = self._typed(base, attribute.type)
        if one is None:
            return UNKNOWN
        key = (expr.index, one)
        if key not in self._attributes:
            edges = attribute.edges
            cyclic = edges is not None and any(
                other in self.reached(other, edges) for other in {one} | self.reached(one, edges)
            )
            self._attributes[key] = UNKNOWN if cyclic else self.value(attribute.value, [one])
        return self._attributes[key]

    def _degree(self, expr: Expr, base: Any, end: int) -> Any:
        one = self.object_of(base)
        if one is None:
            return UNKNOWN
        return sum(edge[end] == one for edge in self.edges(expr.edges))

    def _op_indegree(self, expr: Expr, base: Any) -> Any:
        return self._degree(expr, base, 1)

    def _op_outdegree(self, expr: Expr, base: Any) -> Any:
        return self._degree(expr, base, 0)

    def _op_isroot(self, expr: Expr, base: Any) -> Any:
        return _map(self._degree(expr, base, 1), lambda n: n == 0)

    def _op_isleaf(self, expr: Expr, base: Any) -> Any:
        return _map(self._degree(expr, base, 0), lambda n: n == 0)

    def _op_internal(self, expr: Expr, base: Any) -> Any:
        into, out = self._degree(expr, base, 1), self._degree(expr, base, 0)
        return UNKNOWN if into is UNKNOWN else into != 0 and out != 0

    def _op_external(self, expr: Expr, base: Any) -> Any:
        return _map(self._op_internal(expr, base), lambda inside: not inside)

    def _op_edge(self, expr: Expr, source: Any, target: Any) -> Any:
        if UNKNOWN in (source, target):
            return UNKNOWN
        return (self.object_of(source), self.object_of(target)) in self.edges(expr.edges)

    def _op_path(self, expr: Expr, source: Any, target: Any) -> Any:
        if UNKNOWN in (source, target):
            return UNKNOWN
        first, last = self.object_of(source), self.object_of(target)
        return first is not None and last in self.reached(first, expr.edges)

    def _op_rooted(self, expr: Expr, base: Any) -> Any:
        one = self.object_of(base)
        kinds = (k for k, kind in enumerate(self.plan.types) if kind.roots)
        mine = [k for k in kinds if one is not None and self.is_object(one, k)]
        if one is None or not mine:
            return UNKNOWN
        return self.instance(one, mine[0]) is not None

    def _op_safe(self, expr: Expr, value: Any) -> Any:
        if value is UNKNOWN:
            return UNKNOWN
        if not isinstance(value, Pointer) or value.kind in ("stale", "wild"):
            return False
        if value.kind == "null":
            return True
        if expr.type is not None and self.is_object(Object(value.node, value.offset), expr.type):
            return True
        untyped = self.types.get(value.node) is None
        return value.offset == 0 and (expr.type is None or untyped)

    def _op_references(self, expr: Expr, value: Any) -> Any:
        if value is UNKNOWN:
            return UNKNOWN
        count = 0
        for node in self.nodes.values():
            start = -(-node.address // WORD) * WORD
            for address in range(start, node.address + node.size - WORD + 1, WORD):
                held = self.pointer(address)
                live = isinstance(held, Pointer) and held.kind == "live"
                count += live and self._equal(held, value) is True
        return count

    # Plain operators.

    def _op_number(self, expr: Expr) -> Any:
        return expr.number

    def _op_text(self, expr: Expr) -> Any:
        return expr.text.encode()

    def _op_null(self, expr: Expr) -> Any:
        return Pointer("null")

    def _op_true(self, expr: Expr) -> Any:
        return True

    def _op_false(self, expr: Expr) -> Any:
        return False

    def _op_add(self, expr: Expr, a: Any, b: Any) -> Any:
        return _calculate(lambda x, y: x + y, a, b)

    def _op_sub(self, expr: Expr, a: Any, b: Any) -> Any:
        return _calculate(lambda x, y: x - y, a, b)

    def _op_mul(self, expr: Expr, a: Any, b: Any) -> Any:
        return _calculate(lambda x, y: x * y, a, b)

    def _op_div(self, expr: Expr, a: Any, b: Any) -> Any:
        return _calculate(_divide, a, b)

    def _op_mod(self, expr: Expr, a: Any, b: Any) -> Any:
        return _calculate(_remainder, a, b)

    def _op_bitand(self, expr: Expr, a: Any, b: Any) -> Any:
        return _calculate(lambda x, y: x & y, a, b)

    def _op_neg(self, expr: Expr, a: Any) -> Any:
        return _calculate(lambda x: -x, a)

    def _op_abs(self, expr: Expr, a: Any) -> Any:
        return _calculate(abs, a)

    def _op_min(self, expr: Expr, *args: Any) -> Any:
        return _calculate(min, *args)

    def _op_max(self, expr: Expr, *args: Any) -> Any:
        return _calculate(max, *args)

    def _op_least(self, expr: Expr, *args: Any) -> Any:
        known = [_number(arg) for arg in args if arg is not UNKNOWN]
        return min(known) if known else UNKNOWN

    def _op_greatest(self, expr: Expr, *args: Any) -> Any:
        known = [_number(arg) for arg in args if arg is not UNKNOWN]
        return max(known) if known else UNKNOWN

    def _op_length(self, expr: Expr, text: Any) -> Any:
        return _map(text, len)

    def _op_hash(self, expr: Expr, text: Any) -> Any:
        return _map(text, HASHES[expr.text])

    def _equal(self, a: Any, b: Any) -> Any:
        if UNKNOWN in (a, b):
            return UNKNOWN
        a, b = self._as_pointer(a), self._as_pointer(b)
        if isinstance(a, Pointer) and isinstance(b, Pointer):
            return a == b
        return _number(a) == _number(b)

    def _as_pointer(self, value: Any) -> Any:
        if not isinstance(value, Object):
            return value
        address = self.nodes[value.node].address + value.base
        return Pointer("live", value.node, value.base, address)

    def _op_eq(self, expr: Expr, a: Any, b: Any) -> Any:
        return self._equal(a, b)

    def _op_ne(self, expr: Expr, a: Any, b: Any) -> Any:
        return _map(self._equal(a, b), lambda same: not same)

    def _order(self, a: Any, b: Any, decide: Any) -> Any:
        if UNKNOWN in (a, b):
            return UNKNOWN
        return decide(_number(self._as_pointer(a)), _number(self._as_pointer(b)))

    def _op_lt(self, expr: Expr, a: Any, b: Any) -> Any:
        return self._order(a, b, lambda x, y: x < y)

    def _op_le(self, expr: Expr, a: Any, b: Any) -> Any:
        return self._order(a, b, lambda x, y: x <= y)

    def _op_gt(self, expr: Expr, a: Any, b: Any) -> Any:
        return self._order(a, b, lambda x, y: x > y)

    def _op_ge(self, expr: Expr, a: Any, b: Any) -> Any:
        return self._order(a, b, lambda x, y: x >= y)

    def _op_and(self, expr: Expr, *args: Any) -> Any:
        return False if False in args else UNKNOWN if UNKNOWN in args else True

    def _op_or(self, expr: Expr, *args: Any) -> Any:
        return True if True in args else UNKNOWN if UNKNOWN in args else False

    def _op_not(self, expr: Expr, a: Any) -> Any:
        return _map(a, lambda truth: not truth)


def _atoms(expr: Expr) -> list[Expr]:
    if expr.op in ATOMS:
        return [expr]
    return [atom for arg in expr.args for atom in _atoms(arg)]


def _mentioned(expr: Expr) -> set[int]:
    own = {expr.index} if expr.op is Op.VARIABLE else set()
    return own.union(*(_mentioned(arg) for arg in expr.args))


def _map(value: Any, function: Any) -> Any:
    return UNKNOWN if value is UNKNOWN else function(value)


def _number(value: Any) -> Any:
    return value.address if isinstance(value, Pointer) else value


def _calculate(function: Any, *args: Any) -> Any:
    if any(arg is UNKNOWN for arg in args):
        return UNKNOWN
    result = function(*(_number(arg) for arg in args))
    if isinstance(result, int) and not -BIG <= result < BIG:
        return UNKNOWN
    return result


def _divide(a: Any, b: Any) -> Any:
    if b == 0:
        return UNKNOWN
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: Any, b: Any) -> Any:
    quotient = _divide(a, b)
    return UNKNOWN if quotient is UNKNOWN else a - b * quotient


def _djb2(text: bytes) -> int:
    value = 5381
    for byte in text:
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def _sdbm(text: bytes) -> int:
    value = 0
    for byte in text:
        value = (byte + (value << 6) + (value << 16) - value) & 0xFFFFFFFF
    return value


def _fnv1a(bits: int, offset: int, prime: int) -> Any:
    def of(text: bytes) -> int:
        value = offset
        for byte in text:
            value = ((value ^ byte) * prime) & ((1 << bits) - 1)
        return value

    return of


HASHES: dict[str, Any] = {
    "djb2": _djb2,
    "sdbm": _sdbm,
    "fnv1a": _fnv1a(32, 0x811C9DC5, 0x01000193),
    "fnv1a64": _fnv1a(64, 0xCBF29CE484222325, 0x100000001B3),
}
