"""Expressions of a plan, evaluated as their definitions say."""

from __future__ import annotations

from typing import Any

from heapstory.constraints.plan import Binder, BinderKind, Expr, Op
from tests.constraints.naive_heap import HeapView
from tests.constraints.naive_values import (
    HASHES,
    UNKNOWN,
    WORD,
    Object,
    Pointer,
    calculate,
    divide,
    map_known,
    plain_number,
    remainder,
)


class Terms(HeapView):
    """The values of expressions in one moment."""

    rooted_edges = False  # whether only the edges of objects that roots lead to end in an object

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
        return getattr(self, f"_op_{op.name.lower()}")(expr, *args)

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
        known = [plain_number(value) for value in gathered if value is not UNKNOWN]
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

    def _op_element(self, expr: Expr, base: Any, index: Any) -> Any:
        one = self.object_of(base)
        if one is None or not isinstance(index, int):
            return UNKNOWN
        offset = one.base + expr.index + index * int(expr.number)
        if not 0 <= offset < self.nodes[one.node].size:
            return UNKNOWN
        return Object(one.node, offset)

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
            cyclic = self._is_circular(expr.index, one, ())
            self._attributes[key] = UNKNOWN if cyclic else self.value(attribute.value, [one])
        return self._attributes[key]

    def _is_circular(self, index: int, one: Object, way: tuple[Object, ...]) -> bool:
        """Whether the way down from an object, no further than where the rule stops, comes back."""
        attribute = self.plan.attributes[index]
        if attribute.edges is None or one in way:
            return one in way
        if attribute.stop is not None and self.value(attribute.stop, [one]) is True:
            return False
        below = set(self._after(one, attribute.edges))
        return any(self._is_circular(index, other, (*way, one)) for other in below)

    def _op_circular(self, expr: Expr, base: Any) -> Any:
        one = self._typed(base, self.plan.attributes[expr.index].type)
        return one is not None and self._is_circular(expr.index, one, ())

    def _degree(self, expr: Expr, base: Any, end: int) -> Any:
        one = self.object_of(base)
        if one is None:
            return UNKNOWN
        return sum(edge[end] == one for edge in self.edges(expr.edges))

    def _indegree(self, expr: Expr, base: Any) -> Any:
        one = self.object_of(base)
        if one is None or not self.rooted_edges:
            return self._degree(expr, base, 1)
        sources = [source for source, target in self.edges(expr.edges) if target == one]
        return sum(self.is_in_structure(source) for source in sources)

    def is_in_structure(self, one: Object) -> bool:
        """Whether roots lead to an object, if its type has any."""
        kinds = [number for number, kind in enumerate(self.plan.types) if kind.roots]
        return all(
            self.instance(one, kind) is not None for kind in kinds if self.is_object(one, kind)
        )

    def _op_indegree(self, expr: Expr, base: Any) -> Any:
        return self._indegree(expr, base)

    def _op_outdegree(self, expr: Expr, base: Any) -> Any:
        return self._degree(expr, base, 0)

    def _op_isroot(self, expr: Expr, base: Any) -> Any:
        return map_known(self._indegree(expr, base), lambda n: n == 0)

    def _op_isleaf(self, expr: Expr, base: Any) -> Any:
        return map_known(self._degree(expr, base, 0), lambda n: n == 0)

    def _op_internal(self, expr: Expr, base: Any) -> Any:
        into, out = self._indegree(expr, base), self._degree(expr, base, 0)
        return UNKNOWN if into is UNKNOWN else into != 0 and out != 0

    def _op_external(self, expr: Expr, base: Any) -> Any:
        return map_known(self._op_internal(expr, base), lambda inside: not inside)

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

    def _op_written(self, expr: Expr, value: Any) -> Any:
        return value is not UNKNOWN

    def _op_safe(self, expr: Expr, value: Any) -> Any:
        if value is UNKNOWN:
            return UNKNOWN
        if expr.text:
            return isinstance(value, Pointer) and value.kind != "wild"
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
        return calculate(lambda x, y: x + y, a, b)

    def _op_sub(self, expr: Expr, a: Any, b: Any) -> Any:
        return calculate(lambda x, y: x - y, a, b)

    def _op_mul(self, expr: Expr, a: Any, b: Any) -> Any:
        return calculate(lambda x, y: x * y, a, b)

    def _op_div(self, expr: Expr, a: Any, b: Any) -> Any:
        return calculate(divide, a, b)

    def _op_mod(self, expr: Expr, a: Any, b: Any) -> Any:
        return calculate(remainder, a, b)

    def _op_bitand(self, expr: Expr, a: Any, b: Any) -> Any:
        return calculate(lambda x, y: x & y, a, b)

    def _op_neg(self, expr: Expr, a: Any) -> Any:
        return calculate(lambda x: -x, a)

    def _op_abs(self, expr: Expr, a: Any) -> Any:
        return calculate(abs, a)

    def _op_min(self, expr: Expr, *args: Any) -> Any:
        return calculate(min, *args)

    def _op_max(self, expr: Expr, *args: Any) -> Any:
        return calculate(max, *args)

    def _op_least(self, expr: Expr, *args: Any) -> Any:
        known = [plain_number(arg) for arg in args if arg is not UNKNOWN]
        return min(known) if known else UNKNOWN

    def _op_greatest(self, expr: Expr, *args: Any) -> Any:
        known = [plain_number(arg) for arg in args if arg is not UNKNOWN]
        return max(known) if known else UNKNOWN

    def _op_length(self, expr: Expr, text: Any) -> Any:
        return map_known(text, len)

    def _op_hash(self, expr: Expr, text: Any) -> Any:
        return map_known(text, HASHES[expr.text])

    def _equal(self, a: Any, b: Any) -> Any:
        if UNKNOWN in (a, b):
            return UNKNOWN
        a, b = self._as_pointer(a), self._as_pointer(b)
        if isinstance(a, Pointer) and isinstance(b, Pointer):
            return a == b
        return plain_number(a) == plain_number(b)

    def _as_pointer(self, value: Any) -> Any:
        if not isinstance(value, Object):
            return value
        address = self.nodes[value.node].address + value.base
        return Pointer("live", value.node, value.base, address)

    def _op_eq(self, expr: Expr, a: Any, b: Any) -> Any:
        return self._equal(a, b)

    def _op_ne(self, expr: Expr, a: Any, b: Any) -> Any:
        return map_known(self._equal(a, b), lambda same: not same)

    def _order(self, a: Any, b: Any, decide: Any) -> Any:
        if UNKNOWN in (a, b):
            return UNKNOWN
        return decide(plain_number(self._as_pointer(a)), plain_number(self._as_pointer(b)))

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
        return map_known(a, lambda truth: not truth)

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
