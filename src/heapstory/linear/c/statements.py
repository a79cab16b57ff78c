"""Single statements of the C front: what each does to a path, and the values it names."""

from __future__ import annotations

from collections.abc import Callable

from heapstory.cfront import program as op
from heapstory.cfront.program import Operand, Statement
from heapstory.linear.c.path import Path
from heapstory.linear.c.races import Access, access
from heapstory.linear.c.source import NUMBER, Source, is_object, notation, plain, word
from heapstory.linear.c.values import (
    EXPRESSIONS,
    MIRRORED,
    NEGATED,
    NULL,
    ONE,
    ZERO,
    Address,
    CannotModel,
    Exchanged,
    Out,
    Slot,
    Test,
    Truth,
    Untyped,
    Value,
    negated,
)
from heapstory.linear.language.syntax import (
    Assign,
    Condition,
    Const,
    Expr,
    Field,
    Global,
    Local,
    Malloc,
    Place,
    Sum,
)

CONDITIONS = {
    "eq": "==", "ne": "!=", "slt": "<", "ult": "<", "sle": "<=", "ule": "<=",
    "sgt": ">", "ugt": ">", "sge": ">=", "uge": ">=",
}  # fmt: skip
STRONG = "seq_cst"
LARGEST = 8  # bytes of one access
SHARED = "SHARED"  # the object that operations work on
Handler = Callable[[Path, Statement, int], list[Path] | None]


class Statements:
    """Runs statements. A handler gives the paths that it forks into, or None: the path goes on."""

    def __init__(self, source: Source, shared: str | None) -> None:
        self.source = source
        self.shared = shared  # the struct that operations work on
        self.globals: dict[str, str] = {}  # variables that are mentioned: name in C, and here
        self.accesses: list[Access] = []  # to shared memory
        self.walks: list[tuple[int, tuple[Place, ...]]] = []  # what one turn of a walk reads
        self._handlers: dict[int, Handler] = {
            op.COPY: self._copy, op.ASSIGN: self._assign, op.LOAD: self._load,
            op.STORE: self._store, op.GEP: self._gep, op.ICMP: self._compare,
            op.BIN: self._arithmetic, op.SELECT: self._select, op.CAST: self._copy,
            op.EXTRACT: self._extract, op.CMPXCHG: self._exchange, op.RMW: self._modify,
            op.FENCE: self._fence, op.FRESH: self._fresh,
        }  # fmt: skip

    def run(self, path: Path, statement: Statement) -> list[Path] | None:
        """Run one statement."""
        line = statement[1].line if statement[1] else 0
        handler = self._handlers.get(statement[0])
        if handler is None:
            raise CannotModel("an instruction that is not covered", line)
        return handler(path, statement, line)

    # -- values -----------------------------------------------------------------------------------

    def value(self, path: Path, operand: Operand, line: int) -> Value:
        """What an operand stands for."""
        if isinstance(operand, int):
            return Const(int(operand))
        if isinstance(operand, tuple):
            name, offset = operand
            if name.startswith("%"):
                return Address(Slot(path.frame.serial, name), offset)
            shown = word(plain(name))
            self.globals[shown] = plain(name)
            return Address(Global(shown), offset)
        found = path.frame.values.get(operand) if operand is not None else None
        if found is None:
            raise CannotModel("a value that nobody knows", line)
        return found

    def kind(self, path: Path, value: Expr) -> str:
        """The type of an expression: a struct's name or a number's; empty for a constant 0."""
        match value:
            case Const(0, _):
                return ""
            case Local(name):
                return path.locals[name]
            case Global(name):
                return self.shared or "" if name == SHARED else notation(self._declared(name))
            case Field(_, struct, name):
                return next(f.kind for f in self.source.structs[struct] if f.name == name)
        return NUMBER

    def _declared(self, name: str) -> str:
        return self.source.global_type(self.globals[name])

    def expression(self, path: Path, value: Value, kind: str, line: int) -> Expr:
        """A value as one of that type."""
        match value:
            case Truth(known):
                return ONE if known else ZERO
            case Untyped():
                value = self._typed(path, value, kind, line)
        value = _whole(value)
        if not isinstance(value, EXPRESSIONS):
            raise CannotModel("a value that is not a number or a node", line)
        if kind != NUMBER and value == ZERO:
            return NULL
        if self.kind(path, value) not in ("", kind):
            raise CannotModel("a pointer that is used as something else", line)
        return value

    def _typed(self, path: Path, memory: Untyped, kind: str, line: int) -> Expr:
        """Memory whose type is now known: here it is allocated."""
        if kind == NUMBER:
            raise CannotModel("memory that holds no struct", line)
        size = self.source.size(kind)
        if size and memory.size != size:
            raise CannotModel(f"memory of another size than struct {kind}", line)
        name = path.new_local(kind)
        path.private.add(name)
        path.allocated.add(name)
        path.emit(line, Malloc(Local(name), kind))
        if memory.cleared:
            for f in self.source.structs[kind]:
                field, first = Field(Local(name), kind, f.name), ZERO if f.kind == NUMBER else NULL
                path.fields[field] = first
                path.emit(line, Assign(field, first))
        for frame in path.frames:
            for register, held in frame.values.items():
                if held == memory:
                    frame.values[register] = Local(name)
        return Local(name)

    def place(self, path: Path, value: Value, size: int, line: int) -> Place:
        """The place that a pointer leads to; ``size`` 0: however large."""
        base, offset = (value.base, value.offset) if isinstance(value, Address) else (value, 0)
        if isinstance(base, Global) and offset == 0 and self._object(base.name) is None:
            if size and size != self.source.global_size(base.name):
                raise CannotModel(f"a part of '{base.name}'", line)
            return base
        if not isinstance(base, (Global, Local, Field)):
            raise CannotModel("memory that is not a field or a variable", line)
        object_ = self._object(base.name) if isinstance(base, Global) else None
        struct = object_ or self.kind(path, base)
        cell = self.source.field_at(struct, offset)
        if cell is None:
            raise CannotModel("memory that is not a field or a variable", line)
        if size and (cell.union or (cell.size and size != cell.size)):
            raise CannotModel(f"a part of the field '{cell.name}'", line)
        if size > LARGEST:
            raise CannotModel(f"'{cell.name}' has {size} bytes, which are not one access", line)
        return Field(base, struct, cell.name)

    def _object(self, name: str) -> str | None:
        """The struct that a global variable is (not: points to)."""
        return self.shared if name == SHARED else is_object(self._declared(name))

    # -- statements -------------------------------------------------------------------------------

    def _copy(self, path: Path, s: Statement, line: int) -> None:
        path.frame.values[s[2]] = self.value(path, s[3], line)

    def _assign(self, path: Path, s: Statement, line: int) -> None:
        value = self.value(path, s[3], line)
        if isinstance(value, Untyped):
            kind = self.source.variable_type(path.frame.function, s[2])
            if kind != NUMBER:  # else it is a pointer to something that is not yet said
                value = self._typed(path, value, kind, line)
        path.call(value, path.frame.function.variables[s[2]])
        path.frame.values[s[2]] = value

    def _load(self, path: Path, s: Statement, line: int) -> None:
        _, _, register, operand, _, size, ordering = s
        _ordered(ordering, "load", line)
        address = self.value(path, operand, line)
        if isinstance(address, Address) and isinstance(address.base, Slot):
            found = path.slots.get((address.base, address.offset))
            if found is None:
                raise CannotModel("a variable that has no value", line)
            path.frame.values[register] = found
            return
        place = self.place(path, address, size, line)
        if place in path.stale:
            raise CannotModel("a field that has no value", line)
        if _is_private(path, place) and place not in path.fields:
            raise CannotModel("a field of new memory that has no value yet", line)
        self._access(path, place, not ordering, False, line)
        if path.inline:
            path.loads.append(place)
            path.frame.values[register] = place
            return
        name = path.new_local(self.kind(path, place))
        path.emit(line, Assign(Local(name), place))
        path.frame.values[register] = Local(name)

    def _store(self, path: Path, s: Statement, line: int) -> None:
        _, _, operand, stored, size, _, _, ordering = s
        _ordered(ordering, "store", line)
        address = self.value(path, operand, line)
        value = self.value(path, stored, line)
        self.write(path, address, value, size, ordering, line)

    def write(
        self, path: Path, address: Value, value: Value, size: int, ordering: str, line: int
    ) -> None:
        """Store a value."""
        if isinstance(address, Address) and isinstance(address.base, Slot):
            path.call(value, path.frame.function.stack.get(address.base.name, (0, ""))[1])
            path.slots[address.base, address.offset] = value
            return
        if isinstance(address, Address) and isinstance(address.base, Out):
            path.out = value
            return
        place = self.place(path, address, size, line)
        if isinstance(value, Test):
            raise CannotModel("a comparison that is stored", line)
        shown = self.expression(path, value, self.kind(path, place), line)
        self._narrow(place, size, shown, line)
        own = _is_private(path, place)
        if own:
            assert isinstance(place, Field)
            path.fields[place] = shown
            path.stale.discard(place)
        else:
            self._access(path, place, not ordering, True, line)
            _publish(path, shown)
        path.emit(line, Assign(place, shown), effect=not own)

    @staticmethod
    def _narrow(place: Place, size: int, value: Expr, line: int) -> None:
        """Numbers of 32 and 64 bits are taken not to overflow; shorter ones would."""
        fits = isinstance(value, Const) and 0 <= value.value < 128
        if size in (1, 2) and not fits:
            raise CannotModel(f"a number of {8 * size} bits, which may wrap, is stored", line)

    def _access(self, path: Path, place: Place, plain: bool, writes: bool, line: int) -> None:
        if not _is_private(path, place):
            self.accesses.append(access(place, plain, writes, path.held, line))

    def _gep(self, path: Path, s: Statement, line: int) -> None:
        _, _, register, operand, offset, terms = s
        if terms:
            raise CannotModel("an address that is not a field", line)
        value = self.value(path, operand, line)
        match value:
            case Address(base, before):
                path.frame.values[register] = Address(base, before + offset)
            case Truth() | Test() | Exchanged() | Untyped():
                raise CannotModel("an address that is not a field", line)
            case _:
                path.frame.values[register] = Address(value, offset)

    def _compare(self, path: Path, s: Statement, line: int) -> None:
        _, _, register, predicate, first, second = s
        left, right = self.value(path, first, line), self.value(path, second, line)
        if predicate[0] == "u" and any(map(_may_be_negative, (left, right))):
            raise CannotModel("an unsigned comparison of what may be below 0", line)
        path.frame.values[register] = self.compared(path, left, CONDITIONS[predicate], right, line)

    def compared(self, path: Path, left: Value, relation: str, right: Value, line: int) -> Value:
        """The truth of a comparison."""
        left, right = _whole(left), _whole(right)
        decided = right in (ZERO, ONE) and relation in ("==", "!=")
        if isinstance(left, (Truth, Test)) and isinstance(right, Const) and decided:
            same = (relation == "==") == (right.value == 1)
            opposite = negated(left)
            assert opposite is not None
            return left if same else opposite
        kinds = [self.kind(path, v) if isinstance(v, EXPRESSIONS) else "" for v in (left, right)]
        if ZERO in (left, right) and any(map(_is_something, (left, right))):
            return Truth(relation == "!=")
        kind = next(filter(None, kinds), NUMBER)
        a, b = (self.expression(path, v, kind, line) for v in (left, right))
        if a == b:
            return Truth(relation in ("==", "<=", ">="))
        if isinstance(a, Const):
            a, b, relation = b, a, MIRRORED.get(relation, relation)
        if isinstance(a, Const) and isinstance(b, Const):
            return Truth(_holds(a.value, relation, b.value))
        if b == NULL and isinstance(a, Local) and a.name in path.allocated:
            return Truth(relation == "!=")  # the model's memory never ends
        return Test(Condition(a, relation, b))

    def _arithmetic(self, path: Path, s: Statement, line: int) -> None:
        _, _, register, operator, first, second, bits = s
        left, right = self.value(path, first, line), self.value(path, second, line)
        path.frame.values[register] = self._computed(path, operator, left, right, bits, line)

    def _computed(
        self, path: Path, operator: str, left: Value, right: Value, bits: int, line: int
    ) -> Value:
        if operator == "xor" and right in (ONE, Const(-1)) and (opposite := negated(left)):
            return opposite
        if operator == "and" and right == ONE and isinstance(left, (Truth, Test)):
            return left
        if operator not in ("add", "sub"):
            raise CannotModel(f"'{operator}' is not covered", line)
        if bits < 32:
            raise CannotModel(f"a sum of {bits} bits, which may wrap", line)
        a, b = (self.expression(path, v, NUMBER, line) for v in (left, right))
        sign = "+" if operator == "add" else "-"
        if isinstance(b, Const) and b.value < 0:
            sign, b = "-" if sign == "+" else "+", Const(-b.value)
        if isinstance(a, Const) and isinstance(b, Const):
            return Const(a.value + b.value if sign == "+" else a.value - b.value)
        return Sum(sign, a, b)

    def _select(self, path: Path, s: Statement, line: int) -> list[Path]:
        _, _, register, condition, yes, no = s
        tested = self.value(path, condition, line)
        found = []
        for truth, operand in ((True, yes), (False, no)):
            for taken in self.assume(path, tested, truth, line):
                taken.frame.values[register] = self.value(taken, operand, line)
                found.append(taken)
        return found

    def assume(self, path: Path, tested: Value, truth: bool, line: int) -> list[Path]:
        """The path on which a value is true, or false; none where it cannot be."""
        if isinstance(tested, EXPRESSIONS):
            tested = self.compared(path, tested, "!=", ZERO, line)
        if not truth:
            tested = negated(tested) or tested
        match tested:
            case Truth(known):
                return [path.copy()] if known else []
            case Test(condition):
                opposite = Condition(condition.left, NEGATED[condition.op], condition.right)
                if opposite in path.facts:
                    return []
                taken = path.copy()
                if condition not in taken.facts:
                    taken.guards.append(condition)
                    taken.facts.add(condition)
                return [taken]
        raise CannotModel("a branch on something that is not a comparison", line)

    def _extract(self, path: Path, s: Statement, line: int) -> None:
        _, _, register, operand, offset = s
        pair = self.value(path, operand, line)
        if not isinstance(pair, Exchanged):
            raise CannotModel("a structure in registers", line)
        path.frame.values[register] = Truth(pair.won) if offset else pair.old

    def _exchange(self, path: Path, s: Statement, line: int) -> list[Path]:
        _, _, register, operand, expected, desired, _, size, weak, ordering = s
        _ordered(ordering, "compare and exchange", line)
        place = self.place(path, self.value(path, operand, line), size, line)
        kind = self.kind(path, place)
        old = self.expression(path, self.value(path, expected, line), kind, line)
        new = self.expression(path, self.value(path, desired, line), kind, line)
        self._narrow(place, size, new, line)
        self._access(path, place, False, True, line)
        won = path.copy()
        won.emit(line, Assign(place, new), guard=Condition(place, "==", old), effect=True)
        _publish(won, new)
        won.frame.values[register] = Exchanged(old, True)
        lost = path.copy()
        seen = Local(lost.new_local(kind))
        # a weak one may fail although the value is the expected one
        differs = None if weak else Condition(place, "!=", old)
        lost.emit(line, Assign(seen, place), guard=differs)
        lost.frame.values[register] = Exchanged(seen, False)
        return [won, lost]

    def _modify(self, path: Path, s: Statement, line: int) -> None:
        _, _, register, operator, operand, given, _, size, ordering = s
        _ordered(ordering, f"'{operator}'", line)
        place = self.place(path, self.value(path, operand, line), size, line)
        kind = self.kind(path, place)
        value = self.expression(path, self.value(path, given, line), kind, line)
        old = Local(path.new_local(kind))
        after: dict[str, Expr] = {
            "xchg": value,
            "add": Sum("+", old, value),
            "sub": Sum("-", old, value),
        }
        if operator not in after:
            raise CannotModel(f"an atomic '{operator}' is not covered", line)
        self._narrow(place, size, after[operator], line)
        self._access(path, place, False, True, line)
        path.emit(line, Assign(old, place), Assign(place, after[operator]), effect=True)
        _publish(path, value)
        path.frame.values[register] = old

    def _fresh(self, path: Path, s: Statement, line: int) -> None:
        """A value nobody knows: an error only where it is used."""
        path.frame.values.pop(s[2], None)

    def _fence(self, path: Path, s: Statement, line: int) -> None:
        """A fence adds nothing to sequential consistency."""


def _ordered(ordering: str, what: str, line: int) -> None:
    if ordering not in ("", STRONG):
        raise CannotModel(f"a '{ordering}' {what} is weaker than the model", line)


def _is_private(path: Path, place: Place) -> bool:
    return (
        isinstance(place, Field)
        and isinstance(place.base, Local)
        and place.base.name in path.private
    )


def _publish(path: Path, value: Expr) -> None:
    """Others can now reach a node, and what its fields lead to."""
    if not isinstance(value, Local) or value.name not in path.private:
        return
    path.private.discard(value.name)
    for place, stored in list(path.fields.items()):
        if place.base == value and isinstance(stored, EXPRESSIONS):
            _publish(path, stored)


def _may_be_negative(value: Value) -> bool:
    match value:
        case Const(number, _):
            return number < 0
        case Sum(sign, left, right):
            return sign == "-" or _may_be_negative(left) or _may_be_negative(right)
    return False


def _is_something(value: Value) -> bool:
    """Whether a value cannot be NULL: a variable's address, memory just allocated."""
    if isinstance(value, Untyped):
        return True
    return isinstance(value, Address) and isinstance(value.base, (Global, Slot, Out))


def _whole(value: Value) -> Value:
    """A pointer to the beginning of a node is one to the node."""
    if isinstance(value, Address) and isinstance(value.base, Local) and value.offset == 0:
        return value.base
    return value


def _holds(left: int, relation: str, right: int) -> bool:
    return {
        "==": left == right, "!=": left != right, "<": left < right,
        "<=": left <= right, ">": left > right, ">=": left >= right,
    }[relation]  # fmt: skip
