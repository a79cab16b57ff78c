"""Specifications from files and text, refused where an operation never touches shared state."""

from __future__ import annotations

from pathlib import Path

from heapstory.errors import UsageError
from heapstory.linear.language.resolve import resolve
from heapstory.linear.language.syntax import Specification
from heapstory.linear.program.steps import prepare


def load(path: str | Path) -> Specification:
    """Read and resolve the specification in a file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file (UTF-8)") from None
    return parse(text, str(path))


def parse(text: str, path: str = "<specification>") -> Specification:
    """Parse and resolve a specification's text."""
    spec = resolve(text, path)
    prepare(spec)  # finds operations that never touch shared state
    return spec
