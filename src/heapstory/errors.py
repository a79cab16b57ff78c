"""The errors heapstory raises, and the exit status each one means."""

from __future__ import annotations


class HeapstoryError(Exception):
    """Something the user can fix; shown as one line, never as a traceback."""

    exit_code = 3


class UsageError(HeapstoryError):
    """A bad argument or bad input; the message names the file, the line and the remedy."""

    exit_code = 2


class SpecificationError(UsageError):
    """A specification that does not parse or make sense; carries the place and a caret view."""

    def __init__(self, message: str, path: str, source: str, line: int, column: int) -> None:
        self.path, self.line, self.column = path, line, column
        lines = source.splitlines()
        text = lines[line - 1].rstrip() if 0 < line <= len(lines) else ""
        view = f"\n    {text}\n    {' ' * (max(column, 1) - 1)}^" if text else ""
        super().__init__(f"{path}:{line}:{column}: {message}{view}")


class UnmatchedError(SpecificationError):
    """A specification names what is not in the trace: nothing can be said to have held."""

    exit_code = 4


class TraceError(HeapstoryError):
    """A trace that cannot be read."""

    exit_code = 3


class LimitError(HeapstoryError):
    """An answer too large to give; the message says how to ask for less, or for all of it."""

    exit_code = 4


class ProgramError(HeapstoryError):
    """A program that is there but cannot be run under the recorder."""

    exit_code = 126


class ProgramNotFoundError(ProgramError):
    """A program that is not there."""

    exit_code = 127
