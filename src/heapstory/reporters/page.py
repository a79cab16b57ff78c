"""Small HTML pages that need no scripts and no network, in the colours of the view."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from html import escape
from pathlib import Path

_FOLDER = Path(__file__).parent


def page(title: str, parts: Iterable[str]) -> str:
    """One page around its parts, which are HTML already."""
    sheets = (_FOLDER / name for name in ("colours.css", "pages.css"))
    style = "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    head = f"<meta charset=utf-8><title>{escape(title)}</title>\n<style>{style}</style>"
    return "\n".join([f"<!doctype html><html lang=en>{head}", *parts, "</html>\n"])


def view_command(trace: Path, *options: str) -> str:
    """The command that opens a moment of a trace in the view, to be copied."""
    command = shlex.join(["heapstory", "view", str(trace), *options])
    return f"<p class=dim>in the view: <code>{escape(command)}</code></p>"
