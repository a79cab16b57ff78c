"""Named values of a program: enumerators and simple macros, read from its recorded source."""

from __future__ import annotations

import re
from collections.abc import Iterable

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ENUM = re.compile(r"\benum\b[^{};()]*\{([^}]*)\}")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_NUMBER = re.compile(r"\(*\s*(-?)\s*(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\s*\)*$")


def read_constants(sources: Iterable[str]) -> dict[str, int]:
    """Names with one value in all sources; what is more than a number or another name is left."""
    found: dict[str, set[int]] = {}
    for source in sources:
        text = _COMMENT.sub(" ", source)
        here: dict[str, int] = {}
        for match in _DEFINE.finditer(text):
            value = _evaluate(match[2], here)
            if value is not None:
                here[match[1]] = value
        for match in _ENUM.finditer(text):
            _enumerators(match[1], here)
        for name, value in here.items():
            found.setdefault(name, set()).add(value)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def _enumerators(body: str, known: dict[str, int]) -> None:
    following: int | None = 0
    for item in body.split(","):
        name, _, given = (part.strip() for part in item.partition("="))
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            continue
        value = _evaluate(given, known) if given else following
        if value is not None:
            known[name] = value
        following = None if value is None else value + 1


def _evaluate(text: str, known: dict[str, int]) -> int | None:
    match = _NUMBER.match(text)
    if match is None:
        return known.get(text)
    digits = match[2]
    octal = len(digits) > 1 and digits.startswith("0") and digits.isdigit()
    return (-1 if match[1] else 1) * int(digits, 8 if octal else 0)
