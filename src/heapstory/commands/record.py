"""heapstory record: run a program and record its heap history."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

from heapstory.commands.options import status
from heapstory.commands.output import say, talk
from heapstory.errors import UsageError

EPILOG = """\
examples:
  heapstory record -- ./list 3            writes list.story
  heapstory record -o t.story --from build_tree --until save_tree -- ./app big.txt
  heapstory record --alloc-fn pool_get:2 --free-fn pool_put -- ./server
  heapstory record --mode portable --allocator arena_alloc -- ./stripped
  heapstory record --stream-from parse --stream-for 5000000 -- ./app big.txt

The program's output, signals and exit status are its own (128+N if signal N ended it). 125 means
that heapstory failed, 126 that the program cannot be run, 127 that it was not found."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "heapstory record [-o TRACE] [OPTION]... -- PROG [ARG]..."
    parser.add_argument(
        "-o",
        "--output",
        metavar="TRACE",
        help="where to write the trace (default: PROG.story in the current folder)",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing trace")
    parser.add_argument(
        "--mode",
        default="alloc",
        help="how blocks are found: alloc (by allocation functions, the default), portable "
        "(without knowing the allocator, whose own code is left out), internals (the same with "
        "its code); full is alloc with --stream",
    )
    section = parser.add_argument_group("what part of the run is recorded")
    point = "FUNC|FILE:LINE[#K]"
    section.add_argument("--from", dest="start", metavar=point, help="record from this point")
    section.add_argument("--until", metavar=point, help="record up to this point")
    section.add_argument(
        "--for", dest="changes", type=int, metavar="N", help="record N graph changes"
    )
    section.add_argument(
        "--cpoint",
        action="append",
        default=[],
        metavar="FUNC[:entry|:exit]|FILE:LINE",
        help="a moment to remember, with the pointers in stacks and registers (repeatable)",
    )
    stream = parser.add_argument_group("the instruction stream, which slice and loops need")
    stream.add_argument("--stream", action="store_true", help="record every instruction")
    stream.add_argument("--stream-from", metavar=point, help="from this point (implies --stream)")
    stream.add_argument("--stream-until", metavar=point, help="up to this point")
    stream.add_argument("--stream-for", type=int, metavar="N", help="N instructions")
    code = parser.add_argument_group("the program's own code and allocators")
    for name, value, text in (
        ("--own", "PATH", "libraries below PATH are the program's own code"),
        ("--not-own", "PATH", "libraries below PATH are not"),
        (
            "--alloc-fn",
            "NAME[:ARG[*ARG]]",
            "a function that allocates, and the number of its size argument",
        ),
        ("--free-fn", "NAME[:ARG]", "a function that frees"),
        (
            "--allocator",
            "NAME|LIBRARY|LOW-HIGH|free-lists",
            "mode portable: further code of an allocator: a function, a library, hexadecimal "
            "addresses; free-lists: an inlined allocator with free lists",
        ),
    ):
        code.add_argument(name, action="append", default=[], metavar=value, help=text)
    code.add_argument(
        "--frame",
        action="append",
        default=[],
        metavar="FUNC",
        help="record the variables and parameters of this function's frames that lie in memory, as "
        "global ones are (all stores to stacks are looked at: slower)",
    )
    code.add_argument("--truth", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--follow-children", action="store_true", help="forked children get traces of their own"
    )
    parser.add_argument(
        "--no-source", action="store_true", help="leave the text of source files out of the trace"
    )
    parser.add_argument(
        "--source-from",
        action="append",
        default=[],
        metavar="DIR",
        help="also keep the text of source files below DIR (default: files below the folders that "
        "the program was built in, unless they changed since)",
    )
    parser.add_argument(
        "--abort-on-bad-free",
        action="store_true",
        help="end the program (SIGABRT) at a bad free, as the C library would; by default it "
        "continues",
    )
    parser.add_argument(
        "--error-exitcode",
        type=status,
        metavar="N",
        help="exit with N if there were bad frees (mode alloc, info) or suspicious accesses (mode "
        "portable, info --suspicious)",
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="PROG ARG...")


def run(args: argparse.Namespace) -> int:
    from heapstory.recording import requests
    from heapstory.recording.recorder import Request, record

    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    output = Path(args.output or requests.default_trace(command))
    request = Request(
        command=command,
        trace=output,
        mode=args.mode,
        force=args.force,
        start=args.start,
        until=args.until,
        changes=args.changes,
        own=args.own,
        not_own=args.not_own,
        alloc_fn=args.alloc_fn,
        free_fn=args.free_fn,
        allocators=args.allocator,
        truth=args.truth,
        cpoints=args.cpoint,
        frames=args.frame,
        follow_children=args.follow_children,
        source=not args.no_source,
        source_from=args.source_from,
        abort_on_bad_free=args.abort_on_bad_free,
        stream=args.stream,
        stream_start=args.stream_from,
        stream_until=args.stream_until,
        stream_instructions=args.stream_for,
    )
    requests.check(request)
    if args.error_exitcode is not None and args.mode == "internals":
        raise UsageError("--error-exitcode: --mode internals has no findings")
    ended = record(request, waiting=lambda: talk("finishing the trace"))
    if args.start and _is_empty(output):
        say(f"--from {args.start} was never reached, {output} is empty")
    elif args.stream_from and _has_no_stream(output):
        say(f"--stream-from {args.stream_from} was never reached, {output} has no stream")
    if ended == 128 + signal.SIGILL:
        _say_instruction(output)
    _say_never_called(output)
    _say_unseen(output)
    found = _say_bad_frees(output)
    if not args.follow_children and _is_shell(command):
        say(
            f"only the shell itself is recorded, not the programs that it starts (to record them, "
            f"too: --follow-children; or record them without {command[0]})"
        )
    talk(f"recorded into {output} (next: heapstory info {output})")
    if args.error_exitcode is not None and (found or _has_suspicions(output)):
        return int(args.error_exitcode)
    return ended


def _is_shell(command: list[str]) -> bool:
    """Whether a shell is to run a text: that is meant to record what the text starts."""
    shells = ("sh", "bash", "dash", "zsh", "ksh", "fish", "busybox")
    return Path(command[0]).name in shells and any(
        word.startswith("-") and not word.startswith("--") and word.endswith("c")
        for word in command[1:3]
    )


def _say_instruction(path: Path) -> None:
    """Why it ended: Valgrind does not know all instructions of new processors."""
    from heapstory.recording.folder import unknown_instruction

    if code := unknown_instruction(path):
        what = "AVX-512" if code.startswith("62") else "an instruction"
        say(
            f"the program uses {what} that Valgrind cannot run ({code}); build it for an older "
            "processor (-march=x86-64-v3), or switch off what chooses code by the processor"
        )


def _say_never_called(path: Path) -> None:
    from heapstory.recording.folder import never_called

    for name in never_called(path):
        say(f"no call of {name} was seen: it has another name, was inlined, or did not run")


def _say_unseen(path: Path) -> None:
    """Of every trace that is incomplete because the recorder cannot see everything."""
    import heapstory
    from heapstory.recording.folder import successors
    from heapstory.store import meta

    for part in [path, *successors(path)]:
        if meta.read(part).get("unseen"):
            with heapstory.open(part) as trace:
                say(f"{part} is incomplete: {trace.damage}")


def _say_bad_frees(path: Path) -> bool:
    """Once for every trace of the recording that has any; whether there were."""
    from heapstory.recording.folder import successors
    from heapstory.store import meta

    parts = [part for part in [path, *successors(path)] if meta.read(part).get("bad_frees")]
    for part in parts:
        _say_bad_frees_of(part)
    return bool(parts)


def _say_bad_frees_of(part: Path) -> None:
    import heapstory
    from heapstory.trace.bad_frees import bad_frees, count_bad_frees

    with heapstory.open(part) as trace:
        (first,) = bad_frees(trace, 1)
        count = count_bad_frees(trace)
    many = "a bad free" if count == 1 else f"{count:,} bad frees, the first"
    say(f"{many}: {first.words} (see: heapstory info {part})")


def _has_suspicions(path: Path) -> bool:
    """Whether there are suspicious accesses in any trace of the recording."""
    import heapstory
    from heapstory.recording.folder import successors
    from heapstory.trace.suspicions import suspicions

    for part in [path, *successors(path)]:
        with heapstory.open(part) as trace:
            if suspicions(trace):
                return True
    return False


def _has_no_stream(path: Path) -> bool:
    import heapstory

    with heapstory.open(path) as trace:
        return trace.info().stream is None


def _is_empty(path: Path) -> bool:
    import heapstory

    with heapstory.open(path) as trace:
        return trace.info().nodes == 0 and trace.last == 0
