"""Small tests made from the types of functions: what is passed to them, what they answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from heapstory.errors import UsageError
from heapstory.linear.ir import instructions as op
from heapstory.linear.ir import locks, roles
from heapstory.linear.ir.emitter import Emitter
from heapstory.linear.ir.guesses import guess, is_cell, is_thread
from heapstory.linear.ir.instructions import address_of
from heapstory.linear.ir.module import Declared, Module, Type
from heapstory.linear.ir.roles import Chosen
from heapstory.linear.ir.threads import Threads, registrar

(INSERT, TAKE_FRONT, TAKE_BACK, ADD, REMOVE, CONTAINS, WRITE, READ, INCREMENT, DECREMENT) = range(
    10
)
METHODS = {
    (roles.QUEUE, "enqueue"): INSERT,
    (roles.QUEUE, "dequeue"): TAKE_FRONT,
    (roles.STACK, "push"): INSERT,
    (roles.STACK, "pop"): TAKE_BACK,
    (roles.DEQUE, "push"): INSERT,
    (roles.DEQUE, "pop"): TAKE_BACK,
    (roles.DEQUE, "steal"): TAKE_FRONT,
    (roles.SET, "add"): ADD,
    (roles.SET, "remove"): REMOVE,
    (roles.SET, "contains"): CONTAINS,
    (roles.REGISTER, "write"): WRITE,
    (roles.REGISTER, "read"): READ,
    (roles.COUNTER, "increment"): INCREMENT,
    (roles.COUNTER, "decrement"): DECREMENT,
    (roles.COUNTER, "read"): READ,
    (roles.LOCK, "section"): INCREMENT,
}
TAKES_ARGUMENT = {INSERT, ADD, REMOVE, CONTAINS, WRITE}
TAKES_OUT = {TAKE_FRONT, TAKE_BACK, READ}
_VALUE = re.compile(r"^(v|x|k|p|ptr)$|val|data|elem|item|key|obj|num|node|msg", re.IGNORECASE)
_ROOM = re.compile(r"buf|sto(r|$)|mem|arr|slots|space|cells", re.IGNORECASE)
ROOM_SIZE = 256
_SLOT = "the structure"
_COUNTER = "a counter under the lock"


STRUCTURE, THREAD, ARGUMENT, OUT, OWN, NUMBER_ = (
    "structure", "thread", "argument", "out", "own", "number",
)  # fmt: skip


@dataclass(frozen=True)
class Given:
    """What a parameter is given: the structure, the value, a slot for the answer, something that
    each thread has one of, or a number. ``number``: that one; of the value, which parameter."""

    what: str
    kind: Type
    number: int = 0
    name: str = ""


@dataclass
class Operation:
    """A method of the abstract type, and the function of the machine that calls it."""

    name: str  # of the function in the source
    method: int
    function: int
    argument: bool
    by_pointer: bool  # answers through one
    silent: bool  # returns nothing
    role: int = -1
    says: int = 0
    yes: int = 0
    no: int = 0
    spread: int = 1  # values are multiples of it
    lost: list[int] = field(default_factory=list)

    def words(self) -> list[int]:
        """As the machine reads them."""
        return [
            self.function, self.method, self.argument, self.role, self.says, self.yes, self.no,
            self.spread, len(self.lost), *self.lost,
        ]  # fmt: skip


class Harness:
    """The operations of a module, with a function that makes the initial state."""

    def __init__(
        self, module: Module, chosen: Chosen, struct: str | None = None, cleared: bool = False
    ) -> None:
        self.module, self.chosen, self.cleared = module, chosen, cleared
        self.shared = self._shared(struct)
        self.threads = Threads(module)
        self.numbers: list[str] = []  # that operations are called with, by guess
        self.alone = ""  # the word by which only one thread calls some operations
        self.set_up = self._set_up()
        self._begin = self._beginning()
        if chosen.kind == roles.LOCK:
            self.operations = [self._section()]
        else:
            self.operations = [self._operation(m, f) for m, f in chosen.methods.items()]
        module.complete()

    # -- the structure ----------------------------------------------------------------------------

    def _shared(self, struct: str | None) -> Type | None:
        """The type that all operations have as a pointer for their first parameter."""
        firsts = [f.types[0] for f in self.chosen.methods.values() if f.types]
        if len(firsts) < len(self.chosen.methods) or not firsts[0].pointed:
            return None
        if any(t.text != firsts[0].text for t in firsts):
            return None
        if struct and struct not in firsts[0].text:
            raise UsageError(f"{self.module.path}: '{struct}' is not what the operations work on")
        return firsts[0]

    def _set_up(self) -> int:
        """Gives the number of a function that makes the structure."""
        to = Emitter(self.module, "set up", [])
        number = self.module.reserve()
        where = self.module.constant(address_of(self.module.made_up(_SLOT, 8)))
        self.maker = self._maker()
        for name in self.module.start():
            self._emit_call(to, self.module.functions[name], [])
        made = self._made(to, self.maker, where)
        if made is not None:
            to.emit(op.STORE, a=where, b=made, size=8)
        if self.chosen.kind == roles.LOCK and locks.may_refuse(self.chosen.methods["lock"].returns):
            self._learn_lock(to)
        to.emit(op.GIVE)
        self._finish(to, number)
        return number

    def _maker(self) -> Declared | None:
        found = roles.initialisers(self.module, self.chosen)
        if self.shared is None:
            fitting = [f for f in found if not f.types or not f.types[0].pointed]
        else:
            text = self.shared.text
            fitting = [
                f
                for f in found
                if (f.types and f.types[0].text in (text, f"{text}*")) or f.returns.text == text
            ]
            whole = next((f for f in found if f"{f.returns.text} *" == text), None)
            if not fitting and whole is not None:
                raise UsageError(
                    f"{self.module.path}:{whole.line}: '{whole.name}' returns the initial state as "
                    "a structure: add a function that writes it to where a pointer leads"
                )
        if fitting:
            return fitting[0]
        kind = self.shared.text if self.shared else None
        other = roles.unnamed_maker(self.module, self.chosen, kind)
        if other is not None:
            raise UsageError(
                f"{self.module.path}:{other.line}: does '{other.name}' make the initial state? "
                f"Say --functions {other.name}=init, or leave it out of the file"
            )
        return None

    def _made(self, to: Emitter, maker: Declared | None, slot: int) -> int | None:
        """The code that makes the structure; gives the register of its address."""
        if self.shared is None:
            if maker is not None:
                self._call(to, maker, [])
            return None
        size = self.module.constant(self.shared.pointed + self._behind(self.shared))
        if maker is None or (maker.types and maker.types[0].text == self.shared.text):
            made = to.fresh()
            if maker is None or self.cleared:
                row = to.row([self.module.constant(1), size])
                to.emit(op.LIBRARY, kind=op.ALLOCATE_CLEAR, dst=made, b=row, c=2)
            else:
                to.emit(op.LIBRARY, kind=op.ALLOCATE, dst=made, b=to.row([size]), c=1)
            if maker is not None:
                self._call(to, maker, [made])
            return made
        if maker.types and maker.types[0].text == f"{self.shared.text}*":
            self._call(to, maker, [slot])
            return None
        return self._call(to, maker, [])

    def _behind(self, kind: Type) -> int:
        """The bytes behind a structure that ends in an array without a size."""
        named = self.module.layout.named
        body = named.get("%" + kind.text.rstrip(" *").replace(" ", "."), "")
        return ROOM_SIZE if re.search(r"\[0 x [^\]]*\]\s*\}?>?$", body) else 0

    def _beginning(self) -> int | None:
        """The number of a function that a thread calls before its first operation."""
        handles = [g.kind for m, f in self._methods() for g in self.plan(f, m) if g.what == OWN]
        found = self.chosen.registers or registrar(self.module, self.chosen, handles)
        if found is None or found is self.maker:
            return None
        self.threads.registers = found
        to = Emitter(self.module, "begin", [])
        to.line = found.line
        number = self.module.reserve()
        arguments = []
        for given in self.plan(found, INCREMENT):
            made = Type(given.kind.text.removesuffix("*"), 8)
            if any(each.text == made.text for each in handles):
                arguments.append(self.threads.slot(to, made))
            else:
                arguments.append(self._given(to, found, given))
        called = self.module.function(found.symbol)
        assert called is not None
        self.threads.begin(to, arguments, called)
        self._finish(to, number)
        return number

    def _methods(self) -> list[tuple[int, Declared]]:
        """The methods of the abstract type with their functions."""
        kind = self.chosen.kind
        of = INCREMENT if kind == roles.LOCK else None
        methods = self.chosen.methods.items()
        return [(METHODS[kind, m] if of is None else of, f) for m, f in methods]

    # -- calls ------------------------------------------------------------------------------------

    def _call(self, to: Emitter, function: Declared, given: list[int]) -> int:
        """A call with some arguments given and the others guessed; gives the result's register."""
        guesses = self.guessed(len(given))
        rest = [self._room(to) if g is None else self.module.constant(g) for g in guesses]
        return self._emit_call(to, function, [*given, *rest])

    def _room(self, to: Emitter) -> int:
        """Memory that a structure is told to use."""
        row = to.row([self.module.constant(1), self.module.constant(ROOM_SIZE)])
        made = to.fresh()
        to.emit(op.LIBRARY, kind=op.ALLOCATE_CLEAR, dst=made, b=row, c=2)
        return made

    def _emit_call(self, to: Emitter, function: Declared, arguments: list[int]) -> int:
        number = self.module.function(function.symbol)
        assert number is not None
        row = to.row(arguments)
        result = to.fresh()
        to.emit(op.CALL, kind=number, dst=result, b=row, c=len(arguments), size=1)
        return result

    def _structure(self, to: Emitter) -> int:
        slot = self.module.made_up(_SLOT, 8)
        found = to.fresh()
        to.emit(op.LOAD, dst=found, a=self.module.constant(address_of(slot)), size=8)
        return found

    def _operation(self, method: str, function: Declared) -> Operation:
        to = Emitter(self.module, function.name, ["%argument"])
        to.line = function.line
        number = self.module.reserve()
        if self._begin is not None:
            self.threads.first(to, self._begin)
        kind = METHODS[self.chosen.kind, method]
        arguments, out, out_size = self._arguments(to, function, kind)
        result = self._emit_call(to, function, arguments)
        silent = function.returns.text == "void"
        status = self.module.constant(0) if silent else result
        value = self.module.constant(0)
        if out is not None:
            value = to.fresh()
            to.emit(op.LOAD, dst=value, a=out, size=out_size)
        if silent and out is not None:
            status = value
        to.emit(op.GIVE, b=to.row([status, value]), c=2)
        self._finish(to, number)
        found = Operation(
            function.name, kind, number, kind in TAKES_ARGUMENT, out is not None, silent
        )
        if kind in (INSERT, WRITE):
            found.spread = self._spread(function, kind)
        return found

    def _spread(self, function: Declared, method: int) -> int:
        """What makes of a small number one whose bytes are all alike: a byte that is lost, or that
        comes from another value, shows."""
        given = next((g for g in self.plan(function, method) if g.what == ARGUMENT), None)
        if given is None or "*" in given.kind.text or "&" in given.kind.text:
            return 1
        return int.from_bytes(b"\1" * min(given.kind.size or 1, 8), "little")

    def _arguments(
        self, to: Emitter, function: Declared, method: int
    ) -> tuple[list[int], int | None, int]:
        """What is passed, and the slot for an answer with its size."""
        arguments: list[int] = []
        out, out_size = None, 0
        for given in self.plan(function, method):
            if given.what == OUT:
                out, out_size = self._slot(to, given.kind)
                arguments.append(out)
            else:
                arguments.append(self._given(to, function, given))
        return arguments, out, out_size

    def _given(self, to: Emitter, function: Declared, given: Given) -> int:
        if given.what == STRUCTURE:
            return self._structure(to)
        if given.what == THREAD:
            return to.thread()
        if given.what == ARGUMENT:
            return self._argument(to, function, given)
        if given.what == OWN:
            return self.threads.own(to, given.kind)
        self.numbers.append(f"{function.name} with {given.name or 'a number'} = {given.number}")
        return self.module.constant(given.number)

    def plan(self, function: Declared, method: int) -> list[Given]:
        """What each parameter of a function is given."""
        if len(function.parameters) != len(function.types):
            raise UsageError(
                f"{self.module.path}:{function.line}: '{function.name}' takes or returns a "
                "structure, which is not modelled for an operation"
            )
        found: list[Given] = []
        wanted = self._argument_number(function) if method in TAKES_ARGUMENT else -1
        for number in range(len(function.parameters)):
            name = function.names[number] if number < len(function.names) else ""
            kind = function.types[number] if number < len(function.types) else Type("int", 4)
            answers = any(each.what == OUT for each in found)
            if number == 0 and self.shared is not None and kind.text == self.shared.text:
                found.append(Given(STRUCTURE, kind))
            elif is_thread(name) and not kind.pointed and "*" not in kind.text:
                found.append(Given(THREAD, kind))
            elif number == wanted:
                found.append(Given(ARGUMENT, kind, number))
            elif method in TAKES_OUT and not answers and self._is_out(function, kind):
                found.append(Given(OUT, kind))
            elif kind.pointed:
                found.append(Given(OWN, kind, name=name))
            elif self._is_own_number(function, name):
                found.append(Given(THREAD, kind))
            else:
                found.append(Given(NUMBER_, kind, guess(name, kind), name))
        return found

    def _is_own_number(self, function: Declared, name: str) -> bool:
        """Whether a number says who takes a lock: both functions are given it."""
        both = [self.chosen.methods.get(method) for method in ("lock", "unlock")]
        same = all(each is not None and each.names == function.names for each in both)
        return self.chosen.kind == roles.LOCK and same and bool(name)

    def _is_out(self, function: Declared, kind: Type) -> bool:
        """Whether a function that takes a value writes it to what a parameter points to."""
        if "*" not in kind.text or is_cell(kind):
            return "*" in kind.text
        inserts = [f for m, f in self._methods() if m == INSERT]
        items = [f.types[n] for f in inserts if (n := self._argument_number(f)) < len(f.types)]
        same = any(item.text.rstrip(" *") == kind.text.rstrip(" *") for item in items)
        return same and kind.text.count("*") == 1 and "*" not in function.returns.text

    def guessed(self, first: int) -> list[int | None]:
        """What the initialiser is given, from a parameter on; None: memory that it shall use."""
        maker = self.maker
        if maker is None:
            return []
        names = [*maker.names, *[""] * len(maker.parameters)]
        kinds = [*maker.types, *[Type("int", 4)] * len(maker.parameters)]
        count = range(first, len(maker.parameters))
        return [
            None if "*" in kinds[n].text and _ROOM.search(names[n]) else guess(names[n], kinds[n])
            for n in count
        ]

    def given_to_maker(self) -> list[str]:
        """What the initialiser is given, for people."""
        maker = self.maker
        if maker is None:
            return []
        own = {self.shared.text, f"{self.shared.text}*"} if self.shared else set()
        first = int(bool(maker.types) and maker.types[0].text in own)
        names = [*maker.names, *[""] * len(maker.parameters)]
        given = ["memory" if g is None else str(g) for g in self.guessed(first)]
        return [f"{names[n]} = {each}".lstrip(" =") for n, each in enumerate(given, first)]

    def _argument_number(self, function: Declared) -> int:
        """Which parameter is the value or key: by its name, or else the first one."""
        first = 1 if self.shared is not None else 0
        for number in range(first, len(function.parameters)):
            name = function.names[number] if number < len(function.names) else ""
            if _VALUE.search(name):
                return number
        return first

    def _argument(self, to: Emitter, function: Declared, given: Given) -> int:
        argument, kind = to.register("%argument"), given.kind
        if given.number in function.copied:
            return self._item(to, function.copied[given.number], argument)
        if "*" not in kind.text and "&" not in kind.text:
            if kind.text.startswith(("struct", "union")) and kind.size > 8:
                raise UsageError(f"{self.module.path}: '{function.name}' takes a {kind.text}")
            return argument
        found = to.fresh()
        to.emit(op.LIBRARY, kind=op.VALUE, dst=found, b=to.row([argument]), c=1)
        return found

    def _item(self, to: Emitter, size: int, value: int) -> int:
        """A structure in memory that begins with a value; the rest is 0."""
        made, whole = to.fresh(), self.module.constant(size)
        to.emit(op.ALLOT, dst=made, a=whole)
        to.emit(op.LIBRARY, kind=op.FILL, b=to.row([made, self.module.constant(0), whole]), c=3)
        to.emit(op.STORE, a=made, b=value, size=8)
        return made

    def _slot(self, to: Emitter, kind: Type) -> tuple[int, int]:
        size = kind.pointed or 8
        slot = to.fresh()
        to.emit(op.ALLOT, dst=slot, a=self.module.constant(max(size, 16)))
        return slot, min(size, 8)

    def _section(self) -> Operation:
        """A counter that only holders of the lock read and write: two at a time would show."""
        to = Emitter(self.module, "section", ["%argument"])
        number = self.module.reserve()
        where = self.module.constant(address_of(self.module.made_up(_COUNTER, 8)))
        lock, unlock = self.chosen.methods["lock"], self.chosen.methods["unlock"]
        if self._begin is not None:
            self.threads.first(to, self._begin)
        to.line = lock.line
        held = self._emit_call(to, lock, self._arguments(to, lock, INCREMENT)[0])
        if locks.may_refuse(lock.returns):
            locks.unless_held(to, held)
        before, after = to.fresh(2), to.fresh()
        to.emit(op.LOAD, dst=before, a=where, size=8)
        one = self.module.constant(1)
        to.emit(op.BINARY, kind=0, dst=after, a=before, b=one, size=64)
        to.emit(op.STORE, a=where, b=after, size=8)
        to.line = unlock.line
        self._release(to, held)
        zero = self.module.constant(0)
        to.emit(op.GIVE, b=to.row([before, zero]), c=2)
        self._finish(to, number)
        name = f"{lock.name} … {unlock.name}"
        found = Operation(name, INCREMENT, number, False, False, False)
        found.says = NUMBER
        if locks.may_refuse(lock.returns):
            found.lost = [locks.NOT_HELD]
        return found

    def _release(self, to: Emitter, held: int) -> None:
        """The call of unlock, which may want what lock gave, or wrote to where a pointer leads."""
        lock, unlock = self.chosen.methods["lock"], self.chosen.methods["unlock"]
        wrote = {g.name: g.kind for g in self.plan(lock, INCREMENT) if g.what == OWN and g.name}
        arguments = []
        for given in self.plan(unlock, INCREMENT):
            same = given.kind.text == lock.returns.text
            if given.what in (OWN, NUMBER_) and same:
                arguments.append(held)
            elif given.what == NUMBER_ and given.name in wrote:
                found = to.fresh()
                where = self.threads.own(to, wrote[given.name])
                to.emit(op.LOAD, dst=found, a=where, size=min(wrote[given.name].pointed, 8))
                arguments.append(found)
            else:
                arguments.append(self._given(to, unlock, given))
        self._emit_call(to, unlock, arguments)

    def _learn_lock(self, to: Emitter) -> None:
        lock = self.chosen.methods["lock"]
        held = self._emit_call(to, lock, self._arguments(to, lock, INCREMENT)[0])
        locks.keep(to, held)
        self._release(to, held)

    def _finish(self, to: Emitter, number: int) -> None:
        self.module.bodies[number] = to.finished()

    # -- words ------------------------------------------------------------------------------------

    def words(self, strong: bool, capacity: int) -> list[int]:
        """The whole for the native machine."""
        module = self.module
        keyed = self.chosen.kind == roles.SET
        variables = module.words_of_variables()
        bodies = [body for body in module.bodies if body is not None]
        found = [strong, capacity, keyed, self._named(), self.set_up]
        found += [len(module.constants), *module.constants]
        found += variables
        found.append(len(bodies))
        for body in bodies:
            found += body.words()
        found.append(len(self.operations))
        for operation in self.operations:
            found += operation.words()
        return [int(word) for word in found]

    def _named(self) -> bool:
        """Whether what a thread does may depend on its number: then threads are not alike."""
        code = [one for body in self.module.bodies if body is not None for one in body.code]
        asked = any(o.op == op.LIBRARY and o.kind == op.THREAD and not o.size for o in code)
        return asked or bool(self.module.library.assumed)


SILENT, TRUTH, STATUS, VALUE, NUMBER, DONE = range(6)  # what an operation says
