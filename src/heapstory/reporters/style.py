"""Colour on terminals that want it."""

from __future__ import annotations

import os
from typing import IO


class Style:
    """Wraps words in terminal codes, or leaves them alone."""

    def __init__(self, coloured: bool) -> None:
        self.coloured = coloured

    @classmethod
    def of(cls, stream: IO[str]) -> Style:
        """Colour for a terminal, unless NO_COLOR is set or TERM is dumb."""
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(wanted and stream.isatty())

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        return self._wrap("2", text)

    def red(self, text: str) -> str:
        return self._wrap("31", text)

    def green(self, text: str) -> str:
        return self._wrap("32", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.coloured else text


PLAIN = Style(False)
