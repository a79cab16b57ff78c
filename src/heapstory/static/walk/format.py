"""``printf``'s formats, where all arguments are known."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heapstory.static.heap.state import State
from heapstory.static.heap.values import Value
from heapstory.static.walk.memory import text
from heapstory.static.walk.numbers import signed, unsigned

_DIRECTIVE = re.compile(rb"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|j|t)?(.)", re.DOTALL)


def formatted(state: State, form: bytes | None, arguments: list[Value] | None) -> bytes | None:
    """The text that a format makes; None if some of it is not known."""
    if form is None or arguments is None:
        return None
    rest = iter(arguments)
    made, at = b"", 0
    for match in _DIRECTIVE.finditer(form):
        made += form[at : match.start()]
        at = match.end()
        piece = b"%" if match[5] == b"%" else _directive(state, match, rest)
        if piece is None:
            return None
        made += piece
    return made + form[at:]


def _directive(state: State, match: re.Match[bytes], rest: Iterator[Value]) -> bytes | None:
    flags, width, precision, length, letter = match.groups()
    sizes = [next(rest, None) if size == b"*" else size for size in (width, precision)]
    value = next(rest, None)
    if not all(size is None or isinstance(size, int | bytes) for size in sizes):
        return None
    wide, exact = (int(size) if isinstance(size, int | bytes) else None for size in sizes)
    if letter == b"s":
        known = None if value is None else text(state, value)
        body = None if known is None else known[:exact].decode("latin-1")
    elif not isinstance(value, int):
        return None
    else:
        body = _number(letter, value, 64 if length in (b"l", b"ll", b"z", b"j", b"t") else 32)
        if body is not None and exact is not None and letter != b"c":
            sign = "-" if body[0] == "-" else ""
            body = sign + body.removeprefix("-").rjust(exact, "0")
    if body is None:
        return None
    if b"+" in flags and letter in b"di" and body[0] != "-":
        body = "+" + body
    if wide is not None and b"-" in flags:
        body = body.ljust(wide)
    elif wide is not None:
        body = body.zfill(wide) if b"0" in flags and letter != b"s" else body.rjust(wide)
    return body.encode("latin-1")


def _number(letter: bytes, value: int, bits: int) -> str | None:
    if letter in b"di":
        return str(signed(value, bits))
    if letter == b"c":
        return chr(value & 255)
    form = {b"u": "d", b"x": "x", b"X": "X", b"o": "o"}.get(letter)
    return None if form is None else format(unsigned(value, bits), form)
