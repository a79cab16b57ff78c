"""Names of types: as people write them, and which one a short name means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_TAG = re.compile(r"^(struct|class|union|enum) ")
_TEXT = re.compile(
    r"std::(?:__cxx11::)?basic_string<char, std::char_traits<char>, std::allocator<char> ?>"
)
# What the library fills in where nothing is said.
_DEFAULTS = (
    "std::allocator",
    "std::char_traits",
    "std::default_delete",
    "std::equal_to",
    "std::hash",
    "std::less",
)


def plain_name(name: str) -> str:
    """A type's name without ``struct``."""
    return _TAG.sub("", name)


@cache
def written_name(name: str) -> str:
    """A type's name as people write it: ``std::string``, default arguments left out."""
    return _without_defaults(_TEXT.sub("std::string", name)) if "<" in name else name


def short_name(name: str) -> str:
    """A type's name without namespaces and classes around it, and without template arguments."""
    depth, plain = 0, ""
    for character in plain_name(name):
        depth += character == "<"
        if not depth:
            plain += character
        depth -= character == ">"
    return plain.rsplit("::", 1)[-1].strip()


def meant(wanted: str, names: Iterable[str]) -> list[str]:
    """The names that a name may stand for: itself, or else those it ends, or else those that it is
    without their namespaces and template arguments."""
    wanted = plain_name(wanted)
    by_fit: tuple[list[str], ...] = ([], [], [])
    for name in names:
        plain = plain_name(name)
        if wanted in (plain, plain_name(written_name(name))):
            by_fit[0].append(name)
        elif plain.endswith(f"::{wanted}"):
            by_fit[1].append(name)
        elif short_name(name) == wanted:
            by_fit[2].append(name)
    return next((found for found in by_fit if found), [])


def _without_defaults(name: str) -> str:
    start = name.find("<")
    if start < 0:
        return name
    depth, begin, arguments = 0, start + 1, []
    for at in range(start, len(name)):
        if name[at] == "<":
            depth += 1
        elif name[at] == ">":
            depth -= 1
        if (name[at] == "," and depth == 1) or (name[at] == ">" and not depth):
            arguments.append(name[begin:at].strip())
            begin = at + 1
        if not depth:
            break
    else:
        return name  # cut off
    kept = [arguments[0], *(one for one in arguments[1:] if not one.startswith(_DEFAULTS))]
    inside = ", ".join(_without_defaults(one) for one in kept)
    return f"{name[:start]}<{inside}>{_without_defaults(name[at + 1 :])}"
