"""Functions in suppressions: Memcheck knows them by their linkage names, and inlined ones by their
bare names; findings have readable names, with the scopes they are in."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache

from heapstory import _core
from heapstory.store.places import Place

ANY = "..."
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
# What compilers add to the names of parts and copies of functions.
_PARTS = re.compile(r"(\.(cold|part|constprop|isra|lto_priv)(\.\d+)*)+$| \[clone [^]]*\]")
_INNERMOST = re.compile(r"<[^<>]*>|\([^()]*\)")


def fits_function(pattern: str, function: str, inlined: bool) -> bool:
    """Whether a pattern of a suppression, with * and ?, fits a function of a finding."""
    pattern = _PARTS.sub("", pattern)
    text = pattern.replace("[", "[[]")
    if fnmatchcase(function, text) or fnmatchcase(function.partition("(")[0], text):
        return True
    if pattern.startswith("_Z"):
        return re.fullmatch(_readable(pattern), _scoped(function)) is not None
    return inlined and fnmatchcase(_bare(function), _bare(pattern).replace("[", "[[]"))


def function_pattern(place: Place, inlined: bool, own: bool) -> str:
    """A pattern that fits a function here and in Memcheck."""
    function = place.function
    if not function:
        return f"obj:{place.module}" if place.module else ANY
    is_c = place.path is None or place.path.endswith(".c")
    if is_c and _IDENTIFIER.fullmatch(function):
        return f"fun:{function}"
    scopes = _scoped(function).split("::")
    bare = scopes[-1].removeprefix("~")
    if not own or not all(_IDENTIFIER.fullmatch(name) for name in (*scopes[:-1], bare)):
        return ANY
    if inlined:
        return f"fun:{scopes[-1]}"
    if len(scopes) == 1:  # its linkage name may be the same, where it is C after all
        return f"fun:*{bare}*"
    special = {bare: "C", f"~{bare}": "D"}.get(scopes[-1]) if bare == scopes[-2] else None
    names = scopes[:-1] if special else scopes
    linkage = "*".join(f"{len(name)}{name}" for name in names)
    return f"fun:_Z*{linkage}*{special}?E*" if special else f"fun:_Z*{linkage}*"


@cache
def _readable(pattern: str) -> str:
    """A regular expression for scoped names from a pattern for linkage names."""
    if not set(pattern) & set("*?"):
        return re.escape(_scoped(_core.readable_name(pattern)))
    text, end = "", 0
    name = ""
    for number in re.finditer(r"\d+", pattern):
        after = pattern[number.end() : number.end() + int(number[0])]
        if number.start() < end or not _IDENTIFIER.fullmatch(after):
            continue
        name = after
        text += "::" if text else ""
        text += "(.*::)?" if "*" in pattern[end : number.start()] else ""
        text += re.escape(name)
        end = number.end() + len(name)
    if special := re.match(r"\*?([CD])[0-9?]E", pattern[end:]):
        return f"{text}::{'~' if special[1] == 'D' else ''}{name}"
    return f"{text}(::.*)?" if text else ".*::.*"


@cache
def _scoped(function: str) -> str:
    """Without what it returns and takes, and without arguments of templates."""
    name = _PARTS.sub("", function)
    while (shorter := _INNERMOST.sub("", name)) != name:
        name = shorter
    return name.removesuffix(" const").rpartition(" ")[2]


def _bare(function: str) -> str:
    return _scoped(function).rpartition("::")[2]
