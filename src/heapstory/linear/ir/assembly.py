"""Assembly that programs use for atomic operations, of x86: one locked instruction, perhaps with
the flag that it sets. All of it is as strong as ``seq_cst``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapstory.cfront.layout import split_top
from heapstory.linear.ir import instructions as op
from heapstory.linear.ir.emitter import Emitter

# Instructions of assembly, as LLVM writes their separators.
SEPARATED = re.compile(r";|\\0A|\\09|\\0D")
# What only a program for x86 has: others leave this to the compiler.
_LOCKED = re.compile(r'asm (?:\w+ )*"[^"]*\b(?:lock|xchg[bwlq]?)\b')
_TEXT = re.compile(r'asm (?:\w+ )*"([^"]*)", "([^"]*)"\((.*)\)\Z', re.DOTALL)
_ONE = re.compile(
    r"(?P<lock>lock )?(?P<name>xchg|cmpxchg|xadd|inc|dec|add|sub|or|and|xor)(?P<size>[bwlq]?) "
    r"(?P<first>[^,]+)(?:, ?(?P<second>[^,]+))?"
)
_FLAG = re.compile(r"set(?:e|z) (.+)")
_OPERAND = re.compile(r"(\()?\$\{?(\d+)(?::\w)?\}?(\))?")
_NUMBER = re.compile(r"\$\$(-?\d+)")
_ELEMENT = re.compile(r"elementtype\(i(\d+)\)")
_SIZES = {"b": 1, "w": 2, "l": 4, "q": 8}
_MODIFIES = {"inc": "add", "dec": "sub", "xadd": "add"}


@dataclass
class _Operand:
    """A place of the assembly: ``given`` is its value, or its address if it is memory."""

    constraint: str
    memory: bool
    result: bool
    size: int = 0
    given: int | None = None
    made: int | None = None


class _Cannot(Exception):
    """It is something else."""


def is_of_x86(lines: list[str]) -> bool:
    """Whether there is such assembly in what was compiled."""
    return any(" asm " in line and _LOCKED.search(line) for line in lines)


def locked(to: Emitter, rest: str) -> list[int] | None:
    """The results of a locked instruction, in registers; None: it is something else."""
    match = _TEXT.search(rest)
    if match is None:
        return None
    words = [" ".join(word.split()) for word in SEPARATED.split(match.group(1))]
    parts = [word for word in words if word]
    if len(parts) > 1 and parts[0] == "lock":
        parts[:2] = [f"lock {parts[1]}"]
    one = _ONE.fullmatch(parts[0]) if parts else None
    flag = _FLAG.fullmatch(parts[1]) if len(parts) == 2 else None
    if one is None or len(parts) > 2 or (len(parts) == 2 and flag is None):
        return None
    try:
        operands = _operands(to, match.group(2), match.group(3))
        equal = _emit(to, one, operands, flag is not None)
        if flag is not None:
            _chosen(flag.group(1), operands)[0].made = equal
    except (_Cannot, IndexError):
        return None
    given = [o.made if o.made is not None else o.given for o in operands if o.result]
    return [to.fresh() if register is None else register for register in given]


def _operands(to: Emitter, constraints: str, arguments: str) -> list[_Operand]:
    found: list[_Operand] = []
    pieces = [piece for piece in split_top(arguments) if piece]
    for constraint in constraints.split(","):
        if constraint[0] == "~":
            continue
        made = _Operand(constraint, "*" in constraint, constraint[0] == "=")
        if made.memory or not made.result:
            kind, made.given = to.typed(_ELEMENT.sub("", pieces[0]))
            element = _ELEMENT.search(pieces.pop(0))
            bits = int(element.group(1)) if element else to.layout.size(kind) * 8
            made.size = bits // 8
            if constraint.isdigit():
                found[int(constraint)].given = made.given
                found[int(constraint)].size = made.size
        made.result = made.result and not made.memory
        found.append(made)
    return found


def _chosen(text: str, operands: list[_Operand]) -> tuple[_Operand, bool]:
    """The operand, and whether it is in memory."""
    match = _OPERAND.fullmatch(text.strip())
    if match is None:
        raise _Cannot
    found = operands[int(match.group(2))]
    return found, found.memory or match.group(1) is not None


def _emit(to: Emitter, one: re.Match[str], operands: list[_Operand], flagged: bool) -> int:
    """The instruction; gives the register that says whether something was equal."""
    name = one["name"]
    number = _NUMBER.fullmatch(one["first"].strip())
    texts = [text for text in (one["first"], one["second"]) if text and not _NUMBER.fullmatch(text)]
    chosen = [_chosen(text, operands) for text in texts]
    places = [operand for operand, memory in chosen if memory]
    values = [operand for operand, memory in chosen if not memory]
    if len(places) != 1 or places[0].given is None or (name != "xchg" and not one["lock"]):
        raise _Cannot
    if flagged and name not in ("cmpxchg", "dec", "sub"):
        raise _Cannot
    size = _SIZES.get(one["size"]) or places[0].size
    if name in ("inc", "dec"):
        by: int | None = to.module.constant(1)
    elif number is not None:
        by = to.module.constant(int(number.group(1)))
    else:
        by = values[0].given
    if by is None:
        raise _Cannot
    if name == "cmpxchg":
        return _exchange(to, places[0].given, by, size, operands)
    old = to.fresh()
    kind = op.MODIFY_KINDS.index(_MODIFIES.get(name, name))
    to.emit(op.MODIFY, kind=kind, dst=old, a=places[0].given, b=by, size=size, order=op.STRONG)
    if name in ("xchg", "xadd"):
        values[0].made = old
    equal = to.fresh()
    to.emit(op.COMPARE, kind=op.PREDICATES.index("eq"), dst=equal, a=old, b=by, size=8 * size)
    return equal


def _exchange(to: Emitter, place: int, by: int, size: int, operands: list[_Operand]) -> int:
    before = [o for o in operands if "ax" in o.constraint and not o.memory]
    expected = next((o.given for o in before if o.given is not None), None)
    if expected is None:
        raise _Cannot
    cut, first = to.fresh(2), to.fresh(2)
    to.emit(op.TRUNCATE, dst=cut, a=expected, size=8 * size)
    to.emit(op.TRUNCATE, dst=cut + 1, a=by, size=8 * size)
    to.emit(
        op.EXCHANGE, kind=op.STRONG << 8, dst=first, a=place, b=cut, c=cut + 1, size=size,
        order=op.STRONG,
    )  # fmt: skip
    for operand in before:
        if operand.result:
            operand.made = first
    return first + 1
