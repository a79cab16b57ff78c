"""Operands as LLVM prints them: registers, constants and constant expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from heapstory.cfront.layout import Layout, is_pointer, split_top, type_length
from heapstory.cfront.program import Operand

Qualify = Callable[[str], str]  # the name of a global for the whole program

_SIMPLE = {"null": 0, "false": 0, "true": 1, "zeroinitializer": 0, "none": 0}
_ESCAPE = re.compile(rb"\\(\\|[0-9A-Fa-f]{2})")
_NUMBER = re.compile(r"-?\d+\Z")
_EXPRESSION = re.compile(
    r"\b(getelementptr|bitcast|ptrtoint|inttoptr|addrspacecast|trunc|zext|sext|add|sub)\b[^(]*\("
)


def global_name(text: str) -> str:
    """The name of a global without the quotes that odd characters need."""
    return "@" + text[2:-1] if text.startswith('@"') else text


def typed(piece: str, layout: Layout) -> tuple[str, Operand]:
    """Read ``TYPE [ATTRIBUTES] VALUE``."""
    end = type_length(piece)
    return piece[:end], value(piece[end + 1 :], layout)


def value(text: str, layout: Layout) -> Operand:
    """Read a value; attributes may stand before it."""
    if "(" in text:
        match = _EXPRESSION.search(text)
        if match:
            return _expression(match.group(1), text[match.end() : text.rindex(")")], layout)
    token = text.rsplit(" ", 1)[-1] if '"' not in text else text[max(0, text.find("@")) :]
    first = token[:1]
    if first == "%":
        return token
    if first == "@":
        return global_name(token), 0
    if token in _SIMPLE:
        return _SIMPLE[token]
    return int(token) if _NUMBER.match(token) else None


def _expression(operator: str, body: str, layout: Layout) -> Operand:
    if operator == "getelementptr":
        pieces = split_top(body)
        base = typed(pieces[1], layout)[1]
        offset, terms, _ = follow_indices(
            pieces[0], [typed(p, layout)[1] for p in pieces[2:]], layout
        )
        if isinstance(base, tuple) and not terms:
            return base[0], base[1] + offset
        return base
    if operator in ("add", "sub"):
        return None
    return typed(body.rsplit(" to ", 1)[0], layout)[1]


def follow_indices(
    kind: str, indices: list[Operand], layout: Layout
) -> tuple[int, list[tuple[Operand, int]], tuple[str, int] | None]:
    """Follow the indices of a getelementptr.

    Gives the constant offset, the terms of unknown indices with their scales, and the structure
    and offset of the last member that was selected.
    """
    offset = 0
    terms: list[tuple[Operand, int]] = []
    member: tuple[str, int] | None = None
    for position, index in enumerate(indices):
        if position:
            element = layout.element(kind)
            if element is None:
                fields = layout.fields(kind)
                if not isinstance(index, int) or index >= len(fields):
                    return offset, terms, member
                member = (kind, fields[index][0])
                offset += fields[index][0]
                kind = fields[index][1]
                continue
            kind = element
        scale = layout.size(kind)
        if isinstance(index, int):
            offset += index * scale
        else:
            terms.append((index, scale))
    return offset, terms, member


def function_addresses(
    kind: str, text: str, offset: int, layout: Layout, functions: set[str]
) -> list[tuple[int, str, str, int]]:
    """Functions in an initializer: offset, name, structure they are a member of, member offset."""
    found: list[tuple[int, str, str, int]] = []
    _collect(kind, text, offset, ("", 0), layout, functions, found)
    return found


def _collect(
    kind: str,
    text: str,
    offset: int,
    owner: tuple[str, int],
    layout: Layout,
    functions: set[str],
    found: list[tuple[int, str, str, int]],
) -> None:
    if "@" not in text:
        return
    if is_pointer(kind):
        address = value(text, layout)
        if isinstance(address, tuple) and address[0] in functions:
            found.append((offset, address[0], owner[0], owner[1]))
        return
    element = layout.element(kind)
    if element is not None:
        step = layout.size(element)
        for number, piece in enumerate(split_top(text.strip()[1:-1].strip())):
            rest = piece[type_length(piece) + 1 :]
            _collect(element, rest, offset + number * step, owner, layout, functions, found)
        return
    body = text.strip()
    body = body[2:-2] if body.startswith("<{") else body[1:-1]
    for (at, inner), piece in zip(layout.fields(kind), split_top(body.strip()), strict=False):
        rest = piece[type_length(piece) + 1 :]
        _collect(inner, rest, offset + at, (kind, at), layout, functions, found)


class Initial(NamedTuple):
    """A number or an address in an initializer, and how many bytes it takes."""

    operand: Operand
    size: int


def initial_values(kind: str, text: str, layout: Layout, qualify: Qualify) -> dict[int, Initial]:
    """What an initializer puts at which offset; everything else is 0."""
    found: dict[int, Initial] = {}
    _scatter(kind, text.strip(), 0, layout, qualify, found)
    return found


def _scatter(
    kind: str,
    text: str,
    offset: int,
    layout: Layout,
    qualify: Qualify,
    found: dict[int, Initial],
) -> None:
    if text in ("zeroinitializer", "null", "undef", ""):
        return
    if text.startswith('c"'):
        text_bytes = enumerate(unescaped(text[2:-1]), offset)
        found.update((at, Initial(byte, 1)) for at, byte in text_bytes if byte)
        return
    element = layout.element(kind)
    if element is None and not layout.fields(kind):
        number = value(text, layout)
        if isinstance(number, tuple):
            number = (qualify(number[0]), number[1])
        found[offset] = Initial(number, layout.size(kind))
        return
    body = text[2:-2] if text.startswith("<{") else text[1:-1]
    pieces = split_top(body.strip())
    if element is not None:
        size = layout.size(element)
        inner = [(number * size, element) for number in range(len(pieces))]
    else:
        inner = layout.fields(kind)
    for (at, each), piece in zip(inner, pieces, strict=False):
        rest = piece[type_length(piece) + 1 :]
        _scatter(each, rest.strip(), offset + at, layout, qualify, found)


def unescaped(text: str) -> bytes:
    """The characters of a string; LLVM writes those that are not printable in hex."""
    return _ESCAPE.sub(
        lambda match: b"\\" if match[1] == b"\\" else bytes([int(match[1], 16)]), text.encode()
    )
