"""Recording: the command line of the engine, and one run of it from start to finish."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from heapstory.errors import HeapstoryError
from heapstory.folders import native_folder
from heapstory.recording import folder, process
from heapstory.recording.engine import (
    CHECKED,
    COLLECTOR,
    PRELOAD,
    STRINGS,
    find_engine,
    library_folder,
)
from heapstory.recording.program import STATIC_RECORDED, resolve

# What shapes a run and is worth knowing later; the rest of the environment stays private.
_KEPT = ("LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "LD_PRELOAD", "GLIBC_TUNABLES", "PYTHONMALLOC")


STATIC_CHECKED = (
    "is statically linked, so its malloc cannot be replaced and nothing of its heap can be "
    "checked (link it dynamically)"
)
# Where stores are not recorded, little is sent; the ring counts for the memory of the program.
_SMALL_RING = ("--ring-segments=4", "--segment-kib=128")


@dataclass(frozen=True, slots=True)
class Checks:
    """What is looked for while the program runs. Without ``stores`` little is recorded beside."""

    redzone: int = 32  # bytes between blocks
    delay: int = 20_000_000  # bytes of freed blocks that are not reused
    leaks: bool = True
    stores: bool = False
    stream: bool = False
    alloc_fn: tuple[str, ...] = ()
    free_fn: tuple[str, ...] = ()
    follow_children: bool = False
    values: bool = True  # whether they were ever set
    scan_every: int = 0  # milliseconds
    hidden: tuple[str, ...] = ()  # system calls of which nothing shall be known
    without: tuple[str, ...] = ()  # what makes it fast or quiet, left out for comparison
    heuristics: bool = True  # pointers into C++ objects may be as good as those to their starts

    def options(self) -> list[str]:
        """As the recorder's own options."""
        check = "yes" if self.values else "light"
        options = [f"--check={check}", f"--redzone={self.redzone}", f"--delay={self.delay}"]
        if not self.stores:
            options += ["--stores=no", *_SMALL_RING]
            if not self.follow_children:  # they may have blocks that their parent has freed
                options += [f"--collector-arg=--held-back={self.delay}"]
                options += [f"--collector-arg=--redzone={self.redzone}"]
            options += ["--contents-at-exit=yes"] if self.leaks else []
        options += [f"--alloc-fn={text}" for text in self.alloc_fn]
        options += [f"--free-fn={text}" for text in self.free_fn]
        options += ["--follow-children=yes"] if self.follow_children else []
        options += [f"--scan-every={self.scan_every}"] if self.scan_every else []
        options += [f"--hide-syscall={name}" for name in self.hidden]
        options += [f"--without={name}" for name in self.without]
        return options + (["--stream=yes"] if self.stream else [])


@dataclass(slots=True)
class Request:
    """What to record, and how. Strings are as the recorder's options want them."""

    command: list[str]
    trace: Path
    mode: str = "alloc"  # "full" is alloc with a stream
    force: bool = False
    start: str | None = None
    until: str | None = None
    changes: int | None = None
    own: list[str] = field(default_factory=list)
    not_own: list[str] = field(default_factory=list)
    alloc_fn: list[str] = field(default_factory=list)
    free_fn: list[str] = field(default_factory=list)
    allocators: list[str] = field(default_factory=list)
    truth: bool = False
    cpoints: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)  # functions whose variables are nodes
    follow_children: bool = False
    source: bool = True
    source_from: list[str] = field(default_factory=list)
    abort_on_bad_free: bool = False
    fail_allocation: int | None = None  # the ordinal of an allocation that finds no memory
    checks: Checks | None = None
    stream: bool = False  # the instruction stream; its window implies it
    stream_start: str | None = None
    stream_until: str | None = None
    stream_instructions: int | None = None

    def __post_init__(self) -> None:
        if self.mode == "full":
            self.mode, self.stream = "alloc", True
        window = (self.stream_start, self.stream_until, self.stream_instructions)
        self.stream |= any(border is not None for border in window)

    def options(self) -> list[str]:
        """As the recorder's own options."""
        lists = {
            "own": self.own,
            "not-own": self.not_own,
            "alloc-fn": self.alloc_fn,
            "free-fn": self.free_fn,
            "cpoint": self.cpoints,
            "allocator": self.allocators,
        }
        options = [] if self.mode == "alloc" else [f"--mode={self.mode}"]
        options += [f"--{name}={value}" for name, values in lists.items() for value in values]
        options += ["--truth=yes"] if self.truth else []
        options += ["--frames=yes"] if self.frames else []
        options += [f"--collector-arg=--frame={name}" for name in self.frames]
        options += [f"--from={self.start}"] if self.start else []
        options += [f"--until={self.until}"] if self.until else []
        options += ["--follow-children=yes"] if self.follow_children else []
        options += [f"--collector-arg=--for={self.changes}"] if self.changes else []
        options += [f"--fail-allocation={self.fail_allocation}"] if self.fail_allocation else []
        options += self.checks.options() if self.checks else []
        options += ["--abort-on-bad-free=yes"] if self.abort_on_bad_free else []
        options += [] if self.source else ["--collector-arg=--no-source"]
        folders = map(os.path.abspath, self.source_from)
        options += [f"--collector-arg=--source-from={folder}" for folder in folders]
        return options + self._stream_options()

    def _stream_options(self) -> list[str]:
        options = ["--stream=yes"] if self.stream else []
        options += [f"--stream-from={self.stream_start}"] if self.stream_start else []
        options += [f"--stream-until={self.stream_until}"] if self.stream_until else []
        if self.stream_instructions:
            options.append(f"--collector-arg=--stream-for={self.stream_instructions}")
        return options


def record(
    request: Request,
    waiting: Callable[[], None] = lambda: None,
    meanwhile: Callable[[], None] = lambda: None,
    started: Callable[[], None] = lambda: None,
) -> int:
    """Runs the program and records it; returns its own status as a shell would give it.

    ``started`` is called once it runs, ``waiting`` when it has ended, ``meanwhile`` from time to
    time in between.
    """
    replaces_malloc = request.mode == "alloc"
    static = STATIC_CHECKED if request.checks else STATIC_RECORDED
    command = resolve(request.command, needs_loader=replaces_malloc, static=static)
    engine = find_engine()
    preload = CHECKED if request.checks else PRELOAD if replaces_malloc else STRINGS
    library = library_folder(engine, preload)
    trace = request.trace.absolute()
    folder.prepare(trace, request.force)
    words = [
        str(engine.launcher),
        "--tool=heapstory",
        "--command-line-only=yes",  # neither .valgrindrc nor VALGRIND_OPTS
        "-q",
        "--vgdb=no",
        "--sigill-diagnostics=yes",  # else a program that needs another processor dies silently
        "--trace-children=yes",  # for exec; the recorder itself leaves forked children alone
        # What the engine has to say must not mix with what the program says.
        f"--log-file={str(trace / folder.LOG).replace('%', '%%')}",
        f"--collector={native_folder() / COLLECTOR}",
        f"--trace={trace}",
        *request.options(),
        "--",
        *command,
    ]
    environment = {**os.environ, "VALGRIND_LIB": str(library)}
    if "VALGRIND_LIB" in os.environ:  # the recorder gives it back to the program
        environment["HEAPSTORY_VALGRIND_LIB"] = os.environ["VALGRIND_LIB"]

    def begin() -> None:  # not before the program starts, which takes as long
        folder.describe(trace, _facts(request))
        started()

    pid, ending = process.run(words, environment, waiting, meanwhile, begin)
    folder.sign_off(trace, pid, ending)
    complaint = folder.complaint(trace, pid, ending)
    if complaint:
        raise HeapstoryError(complaint)
    return ending.shell_status


def _facts(request: Request) -> dict[str, object]:
    from heapstory.version import version

    return {
        "program": [_text(word) for word in request.command],
        "directory": _text(Path.cwd()),
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
        "heapstory": version(),
        "mode": request.mode,
        "options": [_text(option) for option in request.options()],
        "environment": {name: _text(os.environ[name]) for name in _KEPT if name in os.environ},
    }


def _text(name: str | os.PathLike[str]) -> str:
    """A name of the system as UTF-8, whatever the locale; bytes that are none stay escaped."""
    return os.fsencode(name).decode("utf-8", "surrogateescape")
