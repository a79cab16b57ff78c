"""An opened trace without what it says about graphs: path, meta, time, places, types."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from heapstory.errors import TraceError, UsageError
from heapstory.store.meta import read as read_meta
from heapstory.store.places import Place, Places
from heapstory.store.types import Types

if TYPE_CHECKING:
    from heapstory import _core

T = TypeVar("T")
_salvage: ContextVar[bool] = ContextVar("salvage", default=False)


class OpenTrace:
    """What every question to a trace starts from."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.core = open_core(self.path, _salvage.get())
        self._check_version()
        self.places = Places(self.core)
        self.types = Types(self.core)
        self._made: dict[object, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the files."""
        self._made.clear()
        self.core.close()

    def once(self, make: Callable[[Self], T]) -> T:
        """What ``make`` makes of this trace, made at the first question and kept for further ones
        until the trace is closed."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    @cached_property
    def meta(self) -> dict[str, Any]:
        """meta.json: how the trace was recorded."""
        return read_meta(self.path)

    def _check_version(self) -> None:
        from heapstory._core import FORMAT_VERSION

        version = self.meta.get("format")
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise TraceError(
                f"{self.path}: has trace format {version}, newer than this heapstory, which reads "
                f"up to {FORMAT_VERSION} (install a newer heapstory)"
            )

    @property
    def last(self) -> int:
        """The last timestamp."""
        return self.core.timestamps

    @property
    def complete(self) -> bool:
        """Whether the trace holds the whole run."""
        return self.core.complete and self.meta.get("complete") is not False

    @property
    def damage(self) -> str | None:
        """Why a trace is incomplete, in one line."""
        if self.core.damage or self.complete:
            return self.core.damage
        if self.meta.get("ended") == "killed":
            return "the program was killed"
        if self.meta.get("ended") == "failed":
            return "the recorder failed"
        if self.meta.get("dropped"):
            return f"{self.meta['dropped']} records were dropped"
        if isinstance(unseen := self.meta.get("unseen"), dict):
            return _unseen(unseen)
        return "the collector was stopped"

    def moment(self, at: int | None) -> int:
        """A timestamp of this trace, the last one for None; a negative one counts from the end."""
        moment = self.last if at is None else at + self.last + 1 if at < 0 else at
        if not 0 <= moment <= self.last:
            raise UsageError(f"timestamp {at} is not in {self.path}: it has 0 to {self.last}")
        return moment

    def value(self, address: int, size: int, at: int | None = None) -> bytes | None:
        """The bytes at an address as of a timestamp; None where they were never recorded."""
        return self.core.value(address, size, self.moment(at))

    def place(self, site: int) -> Place | None:
        """The statement of a site."""
        return self.places.place(site)

    def stack(self, stack: int) -> list[Place]:
        """A call stack, innermost first."""
        return self.places.stack(stack)

    def source(self, path: str) -> str | None:
        """The text of a source file, where it was recorded."""
        return self.core.source(path)


def _unseen(unseen: dict[str, Any]) -> str:
    """What was written, by what: memory keeps its old values in such a trace."""
    by = "io_uring" if unseen.get("io_uring") else "another process, or the kernel"
    what = "memory may have been"
    match unseen:
        case {"bytes": 1, "ranges": [{"address": str(first)}, *_]}:
            what = f"a byte at {first} was"
        case {"bytes": int(count), "ranges": [{"address": str(first)}, *_]}:
            what = f"{count:,} bytes from {first} on were"
    return f"{what} written by what the recorder cannot see ({by})"


@contextmanager
def salvaging() -> Iterator[None]:
    """Traces that are opened meanwhile leave out what is damaged, and are incomplete then.

    That takes reading all of a trace, so it is done only where damage was met.
    """
    token = _salvage.set(True)
    try:
        yield
    finally:
        _salvage.reset(token)


def is_damage(error: TraceError) -> bool:
    """Whether an error says that a part of a trace is damaged."""
    return "(checksum)" in str(error)


def open_core(path: Path, salvage: bool = False) -> _core.Trace:
    """The native side of a trace."""
    if not path.exists():
        raise UsageError(f"{path}: no such trace (record one: heapstory record -o {path} -- PROG)")
    if not path.is_dir():
        raise TraceError(f"{path}: not a trace (a trace is a directory NAME.story)")
    try:
        from heapstory import _core
    except ImportError as error:
        raise TraceError(f"the native core cannot be loaded: {error} (run: make setup)") from error
    return _core.Trace(os.fsencode(path), salvage)
