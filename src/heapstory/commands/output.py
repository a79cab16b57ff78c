"""Where answers go (stdout or a file), what is said beside them (stderr), and exit statuses."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING
from weakref import WeakSet

from heapstory.errors import UsageError
from heapstory.reporters.text import printable
from heapstory.whole_file import whole_file

if TYPE_CHECKING:
    from heapstory.trace import Trace

FOUND = 1
INCOMPLETE = 4


def write(text: str | Iterable[str], output: str | None = None) -> None:
    """To a file, or to stdout; a long text comes in pieces."""
    pieces = [text] if isinstance(text, str) else text
    if output is None or output == "-":
        for piece in pieces:
            sys.stdout.write(piece)
            _on_stdout.add(sys.stdout)
        return
    _write_file((piece.encode("utf-8", "backslashreplace") for piece in pieces), output)


def write_bytes(content: bytes, output: str | None) -> None:
    """A picture, to a file or to what is no terminal."""
    if output is None or output == "-":
        if sys.stdout.isatty():
            raise UsageError("a picture is not for a terminal (write it to a file: -o FILE)")
        sys.stdout.buffer.write(content)
        return
    _write_file([content], output)


def _write_file(pieces: Iterable[bytes], output: str) -> None:
    try:
        with whole_file(Path(output)) as file:
            file.writelines(pieces)
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror} (choose another file)") from error


_on_stdout: WeakSet[IO[str]] = WeakSet()  # streams that hold a part of an answer


def has_written() -> bool:
    """Whether a part of an answer is on stdout already."""
    return sys.stdout in _on_stdout


def say(text: str) -> None:
    """A remark, on stderr."""
    print(f"heapstory: {printable(text)}", file=sys.stderr)


def talk(text: str) -> None:
    """A remark for people: on a terminal only."""
    if sys.stderr.isatty():
        say(text)


def finish(trace: Trace) -> int:
    """The exit status of a command that answered; says so where the trace is incomplete."""
    if trace.complete:
        return 0
    say(
        f"{trace.path} is incomplete, the answer covers what could be read: {trace.damage}",
    )
    return INCOMPLETE
