"""What is in a trace: how it was recorded, how it ended, how much there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapstory.store.places import Place
from heapstory.trace.bad_frees import BadFree, bad_frees, count_bad_frees
from heapstory.trace.crash import Crash, crash_of
from heapstory.trace.discoveries import Discoveries, discoveries

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace

_MOST_BAD_FREES = 1000  # that are looked at one by one


@dataclass(frozen=True, slots=True)
class StreamWindow:
    """A part of the run whose instructions were recorded."""

    first: int  # step
    steps: int
    instructions: int
    ended: str | None  # "recording" (with it), "until", "for"; None: cut off


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """What a trace has of the instruction stream."""

    instructions: int
    steps: int  # executions of blocks, and what is no instruction
    blocks: int
    bytes: int
    windows: tuple[StreamWindow, ...]

    @property
    def complete(self) -> bool:
        """False where it was cut off."""
        return all(window.ended for window in self.windows)

    @classmethod
    def read(cls, summary: dict[str, Any] | None) -> StreamInfo | None:
        if summary is None:
            return None
        windows = tuple(StreamWindow(**window) for window in summary["windows"])
        return cls(**{**summary, "windows": windows})


@dataclass(frozen=True, slots=True)
class Info:
    """The answer of ``Trace.info()``; counts are as of the last timestamp."""

    path: str
    program: list[str]
    directory: str | None
    started: str | None
    heapstory: str | None
    mode: str
    options: list[str]
    exit_code: int | None
    exit_signal: int | None
    crash: Crash | None  # where a signal ended it
    ended: str | None
    complete: bool
    damage: str | None
    timestamps: int
    counts: dict[str, int]
    sizes: dict[str, int]
    bad_frees: list[BadFree]  # the first thousand
    bad_free_count: int
    discoveries: Discoveries | None
    stream: StreamInfo | None

    @property
    def events(self) -> int:
        """Everything recorded: allocations, frees, stores, ranges."""
        return self.counts["events"]

    @property
    def nodes(self) -> int:
        """Nodes alive at the last timestamp."""
        return self.counts["nodes"]

    @property
    def edges(self) -> int:
        """Pointers between them."""
        return self.counts["edges"]

    @property
    def bytes(self) -> int:
        """The size of the trace on disk."""
        return self.sizes["bytes"]

    @property
    def exit_place(self) -> Place | None:
        """The statement at which a signal ended it."""
        return self.crash.place if self.crash else None

    @classmethod
    def read(cls, trace: OpenTrace, summary: dict[str, Any]) -> Info:
        """From meta.json and the core's summary; a trace cut off early lacks some of the former."""
        meta = trace.meta
        ended = meta.get("exit") or {}
        counted = (
            "events",
            "stores",
            "ranges",
            "allocations",
            "frees",
            "calls",
            "nodes",
            "edges",
            "cpoints",
            "sites",
            "stacks",
            "threads",
            "chunks",
        )
        sized = ("bytes", "event_bytes", "symbol_bytes", "source_bytes")
        return cls(
            path=str(trace.path),
            program=list(meta.get("program") or []),
            directory=meta.get("directory"),
            started=meta.get("started"),
            heapstory=meta.get("heapstory"),
            mode=meta.get("mode") or "alloc",
            options=list(meta.get("options") or []),
            exit_code=ended.get("code"),
            exit_signal=ended.get("signal"),
            crash=crash_of(trace, summary),
            ended=meta.get("ended"),
            complete=trace.complete,
            damage=trace.damage,
            timestamps=summary["timestamps"],
            counts={name: summary[name] for name in counted},
            sizes={name: summary[name] for name in sized},
            bad_frees=bad_frees(trace, _MOST_BAD_FREES),
            bad_free_count=count_bad_frees(trace),
            discoveries=None if meta.get("mode", "alloc") == "alloc" else discoveries(trace),
            stream=StreamInfo.read(summary["stream"]),
        )
