"""The instructions of the native machine (`native/core/explore/ir/code.h`), and their words."""

from __future__ import annotations

from dataclasses import dataclass, field

(
    MOVE, BINARY, COMPARE, SELECT, TRUNCATE, EXTEND, INDEX, LOAD, STORE, MODIFY, EXCHANGE, FENCE,
    JUMP, BRANCH, CALL, CALL_BY_ADDRESS, GIVE, ALLOT, LIBRARY, UNKNOWN, LANDING,
) = range(21)  # fmt: skip
BINARY_KINDS = (
    "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "sdiv", "udiv", "srem", "urem",
)  # fmt: skip
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
MODIFY_KINDS = ("xchg", "add", "sub", "and", "or", "xor", "nand", "max", "min", "umax", "umin")
PLAIN, RELAXED, ACQUIRE, RELEASE, BOTH, STRONG = range(6)
ORDERS = {
    "": PLAIN, "unordered": RELAXED, "monotonic": RELAXED, "acquire": ACQUIRE,
    "release": RELEASE, "acq_rel": BOTH, "seq_cst": STRONG,
}  # fmt: skip
(
    ALLOCATE, ALLOCATE_CLEAR, FREE, FILL, COPY, LOCK, UNLOCK, TRY_LOCK, NOTHING, THREAD, FAILED,
    ENDED, VALUE, ASSUME, CHOOSE, RAISE, CAUGHT, RAISE_AGAIN, COMPARE_MEMORY, COUNT_BITS,
    REALLOCATE,
) = range(21)  # fmt: skip
ONES, ZEROS_ABOVE, ZEROS_BELOW = range(3)  # what is counted
MUTEX, FOR_READING, FOR_WRITING, SEMAPHORE = range(4)  # kinds of locks
ATOMIC = {LOAD, STORE, MODIFY, EXCHANGE, FENCE}
FIRST_FUNCTION = 1 << 12
THREADS = 4  # and one that sets up


def address_of(number: int) -> int:
    """The address of an object."""
    return 0x100000000 + (number << 24)


@dataclass
class Instruction:
    """One instruction; operands are registers, or constants below 0."""

    op: int
    kind: int = 0
    dst: int = -1
    a: int = 0
    b: int = 0
    c: int = 0
    size: int = 0
    order: int = PLAIN
    line: int = 0
    uses: tuple[int, ...] = ()
    defines: tuple[int, ...] = ()

    def words(self) -> list[int]:
        """As the machine reads them."""
        return [
            self.op, self.kind, self.dst, self.a, self.b, self.c, self.size, self.order, self.line,
        ]  # fmt: skip


@dataclass
class Body:
    """A function: its instructions, how many registers it has, what it gives."""

    name: str
    registers: int = 0
    code: list[Instruction] = field(default_factory=list)

    def words(self) -> list[int]:
        """As the machine reads them."""
        found = [self.registers, len(self.code)]
        for one, dead in zip(self.code, self._dead(), strict=True):
            found += [*one.words(), len(dead), *dead]
        return found

    def _dead(self) -> list[list[int]]:
        """By instruction where a thread can stop: the registers that nobody needs there."""
        before, after = self._live()
        everything = range(self.registers)
        found: list[list[int]] = []
        for number, one in enumerate(self.code):
            if one.op in ATOMIC or (one.op == LIBRARY and one.kind in (LOCK, UNLOCK, TRY_LOCK)):
                live = before[number]
            elif one.op in (CALL, CALL_BY_ADDRESS):
                live = after[number]
            else:
                found.append([])
                continue
            found.append([r for r in everything if not live >> r & 1])
        return found

    def _live(self) -> tuple[list[int], list[int]]:
        size = len(self.code)
        before, after = [0] * size, [0] * size
        uses = [sum(1 << r for r in set(one.uses) if r >= 0) for one in self.code]
        defines = [sum(1 << r for r in set(one.defines)) for one in self.code]
        changed = True
        while changed:
            changed = False
            for number in range(size - 1, -1, -1):
                out = 0
                for target in _successors(self.code, number):
                    out |= before[target]
                live = uses[number] | (out & ~defines[number])
                if out != after[number] or live != before[number]:
                    before[number], after[number], changed = live, out, True
        return before, after


def _successors(code: list[Instruction], number: int) -> tuple[int, ...]:
    one, size = code[number], len(code)
    if one.op == JUMP:
        return (one.a,)
    if one.op == BRANCH:
        return (one.b, one.c)
    if one.op == LANDING:
        return (one.a, number + 1)
    raises = one.op == LIBRARY and one.kind in (RAISE, RAISE_AGAIN)
    if raises and (number + 1 == size or code[number + 1].op != LANDING):
        return ()
    if one.op in (GIVE, UNKNOWN) or number + 1 == size:
        return ()
    return (number + 1,)
