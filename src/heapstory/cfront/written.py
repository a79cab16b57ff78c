"""Which global variables a module may change once the program runs.

What is left is as good as ``const``: flags, tables of functions, ``void *(*get)(size_t) = malloc``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from heapstory.cfront.constants import global_name
from heapstory.cfront.layout import split_top

_NAME = re.compile(r'@"[^"]+"|@[\w.$-]+')
_READ = re.compile(r"= load (?!(?:atomic )?volatile )")
_COPY = re.compile(r"@llvm\.mem(?:cpy|move)[\w.]*\((.*)\)")


def written(lines: Iterable[str]) -> set[str]:
    """The globals that the lines of a function's body write, or whose address they hand on."""
    found: set[str] = set()
    for line in lines:
        if "@" in line and not _READ.search(line):
            copy = _COPY.search(line)
            found |= mentioned(split_top(copy[1])[0] if copy else line)
    return found


def mentioned(text: str) -> set[str]:
    """All globals and functions that a text names."""
    return {global_name(name) for name in _NAME.findall(text)}
