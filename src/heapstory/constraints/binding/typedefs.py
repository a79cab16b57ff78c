"""Names that a program's source gives to its types: ``typedef struct node { … } node_t;``.

Debug information is read without them; the source has them, as far as it is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_INSIDE = re.compile(r"\{[^{}]*\}")
_TYPEDEF = re.compile(
    r"\btypedef\s+(?:(?:const|struct|union|class)\s+)*(\w+)?\s*(?:\{\}\s*)?(\w+)\s*;"
)


def read_typedefs(sources: Iterable[str]) -> dict[str, str]:
    """The type behind each name; not those of pointers, arrays and functions."""
    found: dict[str, str] = {}
    for source in sources:
        for kind, name in _TYPEDEF.findall(_flattened(source)):
            if kind and kind != name:
                found.setdefault(name, kind)
    return found


def _flattened(source: str) -> str:
    """The text with nothing between braces."""
    text = _COMMENT.sub(" ", source)
    while (shorter := _INSIDE.sub("\x00", text)) != text:
        text = shorter
    return text.replace("\x00", "{}")
