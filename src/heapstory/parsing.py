"""What the grammars of specifications share: syntax errors as a good compiler words them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from lark.exceptions import UnexpectedInput

from heapstory.errors import SpecificationError


def syntax_error(
    error: UnexpectedInput, source: str, path: str, words: Mapping[str, str], hint: str = ""
) -> SpecificationError:
    """A parser's error with its position and what was expected; ``words`` names the tokens,
    ``hint`` is what else there is to say."""
    names = getattr(error, "expected", None) or getattr(error, "allowed", None) or set()
    wanted = sorted({words[n] for n in names if n in words})
    line, column = error.line, error.column
    token = getattr(error, "token", None)
    found = "the end of the file" if token is None or not str(token) else f"'{token}'"
    if token is None and getattr(error, "char", None):
        found = f"'{getattr(error, 'char', '')}'"
    if token is not None and token.type == "$END":
        lines = source.rstrip().splitlines() or [""]
        line, column = len(lines), len(lines[-1]) + 1
    if not isinstance(line, int) or line < 1:
        line, column = 1, 1
    expected = f"; expected {' or '.join(wanted)}" if 0 < len(wanted) <= 6 else ""
    text = f"syntax error at {found}{expected}{hint}"
    return SpecificationError(text, path, source, line, column)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suggestion for a misspelt name, or nothing."""
    known = sorted(set(known))
    close = difflib.get_close_matches(name, known, n=1)
    if not close:
        close = [k for k in known if k.lower() == name.lower()][:1]
    return f" (did you mean '{close[0]}'?)" if close else ""
