"""What each thread does before its first call: it registers, or makes the object it works with."""

from __future__ import annotations

from heapstory.linear.ir import instructions as op
from heapstory.linear.ir.emitter import Emitter
from heapstory.linear.ir.instructions import THREADS, address_of
from heapstory.linear.ir.module import SYSTEM, Declared, Module, Type
from heapstory.linear.ir.roles import MAKES, Chosen, reached, words_of

REGISTERS = {"register", "attach"}
_OF_THREAD = {"thread", "tls", "local", "worker"}
_NOT = {"callback", "handler", "hook", "signal", "test", "free", "destroy", "exit", "main"}
_BEGUN = "whether a thread has begun"


def is_of_thread(name: str) -> bool:
    """Whether a function is called once by each thread, by its name."""
    words = set(words_of(name))
    return bool(words & REGISTERS or (words & _OF_THREAD and words & MAKES))


def registrar(module: Module, chosen: Chosen, handles: list[Type]) -> Declared | None:
    """The function that each thread calls first; ``handles``: what it has one of."""
    operations = {f.symbol for f in chosen.methods.values()}
    used = reached(module, operations)
    texts = {handle.text for handle in handles}
    found = []
    for function in module.functions.values():
        words = set(words_of(function.name))
        named = is_of_thread(function.name) and not function.owner
        late = function.symbol in used and not (named and not function.types)
        if late or words & _NOT or function.file.startswith(SYSTEM):
            continue
        kinds = {t.text for t in function.types} | {function.returns.text}
        kinds |= {t.text.removesuffix("*") for t in function.types if t.text.endswith("**")}
        makes = bool(words & (MAKES | REGISTERS)) and bool(kinds & texts)
        if makes or (named and not any("(" in t.text for t in function.types)):
            found.append((not makes, function.line, function))
    return min(found, key=lambda each: each[:2])[2] if found else None


class Threads:
    """Objects that each thread has one of, and what makes them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.registers: Declared | None = None
        self.bare: set[str] = set()  # types of such objects that nothing makes

    def own(self, to: Emitter, kind: Type) -> int:
        """The object of a type that the thread has."""
        if self._gives(kind):
            found = to.fresh()
            to.emit(op.LOAD, dst=found, a=self.slot(to, kind), size=8)
            return found
        if not self._fills(kind):
            self.bare.add(kind.text)
        return self._place(to, f"{kind.text} of each thread", kind.pointed)

    def slot(self, to: Emitter, kind: Type) -> int:
        """Where a thread keeps the address of what was made for it."""
        return self._place(to, f"address of {kind.text} of each thread", 8)

    def _place(self, to: Emitter, name: str, size: int) -> int:
        every = self.module.made_up(name, size * (THREADS + 1))
        return to.own(self.module.constant(address_of(every)), size)

    def _gives(self, kind: Type) -> bool:
        """Whether registering gives the object, or its address where it is told."""
        function = self.registers
        return function is not None and (
            function.returns.text == kind.text
            or any(t.text == f"{kind.text}*" for t in function.types)
        )

    def _fills(self, kind: Type) -> bool:
        return self.registers is not None and kind.text in {t.text for t in self.registers.types}

    def begin(self, to: Emitter, arguments: list[int], number: int) -> None:
        """The call of it, in a function that is called when a thread has not begun."""
        assert self.registers is not None
        result = to.fresh()
        row = to.row(arguments)
        to.emit(op.CALL, kind=number, dst=result, b=row, c=len(arguments), size=1)
        if self.registers.returns.pointed:
            to.emit(op.STORE, a=self.slot(to, self.registers.returns), b=result, size=8)
        to.emit(op.GIVE)

    def first(self, to: Emitter, function: int) -> None:
        """Calls that function where a thread has not begun."""
        begun, none = to.fresh(), to.fresh()
        flag = self._place(to, _BEGUN, 8)
        to.emit(op.LOAD, dst=begun, a=flag, size=8)
        zero = self.module.constant(0)
        to.emit(op.COMPARE, kind=0, dst=none, a=begun, b=zero, size=64)
        branch = to.emit(op.BRANCH, a=none)
        branch.b = len(to.body.code)
        to.emit(op.STORE, a=flag, b=self.module.constant(1), size=8)
        to.emit(op.CALL, kind=function, dst=-1, b=to.row([]), c=0, size=1)
        branch.c = len(to.body.code)
