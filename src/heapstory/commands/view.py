"""heapstory view: explore the heap through time in a browser."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from heapstory.commands.options import add_at, add_output, add_trace, count, number
from heapstory.commands.output import finish, say, write
from heapstory.commands.progress import progress
from heapstory.errors import HeapstoryError, UsageError

if TYPE_CHECKING:
    from heapstory.trace import Trace
    from heapstory.viewing.head import Opening

MOST_PORT = 65535

EPILOG = """\
examples:
  heapstory view list.story
  heapstory view list.story --at 120 --node 7 -o list.html
  heapstory view list.story --spec list.spec
  heapstory view big.story --serve
  heapstory view list.story --tui

Writes TRACE.html, one file that needs no network. --serve answers a browser on this machine
instead, for traces too large for a file, until it is interrupted. --tui shows the graph as a tree
in the terminal (keys: ?)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    add_output(parser, "the page (default: TRACE.html in the current directory)")
    parser.add_argument("--serve", action="store_true", help="serve the page on this machine")
    parser.add_argument(
        "--tui", action="store_true", help="show the trace in this terminal instead"
    )
    parser.add_argument("--port", type=number, metavar="N", help="for --serve (default: any)")
    add_at(parser, "the moment to open with")
    parser.add_argument("--node", type=number, metavar="N", help="the node to open with")
    parser.add_argument("--spec", metavar="SPEC", help="show what locate finds with it")
    parser.add_argument(
        "--findings",
        action="append",
        default=[],
        metavar="FILE.json",
        help="show the findings of locate, info --suspicious, leaks or check --json (repeatable)",
    )
    parser.add_argument("--slice", metavar="FILE.json", help="show what slice --json found")
    parser.add_argument("--no-source", action="store_true", help="leave the text of sources out")
    parser.add_argument(
        "--max-size",
        type=count,
        default=25,
        metavar="MB",
        help="largest file to write (default: 25)",
    )


def run(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory.viewing.page_file import Bundle

    _check(args)
    bundle = None if args.tui else Bundle.read()
    with heapstory.open(args.trace) as trace:
        opening = _opening(trace, args)
        if bundle is None:
            _show(trace, opening)
        elif args.serve:
            _serve(trace, opening, args.port or 0)
        else:
            _export(trace, opening, args, bundle)
        return finish(trace)


def _check(args: argparse.Namespace) -> None:
    """Options that exclude each other, and what a terminal needs."""
    if args.serve and args.output:
        raise UsageError("--serve writes no file (leave out -o, or --serve)")
    if args.port is not None and not args.serve:
        raise UsageError("--port goes with --serve")
    if args.port is not None and args.port > MOST_PORT:
        raise UsageError(f"port {args.port}: there is none beyond {MOST_PORT} (leave it out)")
    if not args.tui:
        return
    if args.serve or args.output:
        raise UsageError("--tui shows the trace in this terminal (leave out -o and --serve)")
    if importlib.util.find_spec("textual") is None:
        raise HeapstoryError(
            "--tui needs textual, which is not installed; run: pip install 'heapstory[tui]'"
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("--tui wants a terminal (write a page instead: leave out --tui)")


def _export(trace: Trace, opening: Opening, args: argparse.Namespace, bundle: Any) -> None:
    from heapstory.viewing.export import MEGABYTE, export

    output = args.output or f"{trace.path.stem}.html"
    with progress("writing the page"):
        write(export(trace, opening, max_size=args.max_size * MEGABYTE, bundle=bundle), output)
    if output != "-":
        say(f"wrote {output}")


def _serve(trace: Trace, opening: Opening, port: int) -> None:
    from heapstory.viewing.server import ViewServer

    with progress("reading the trace"):
        server = ViewServer(trace, opening, port=port)
    print(server.address, flush=True)
    say("serving until interrupted (Ctrl-C)")
    try:
        server.serve()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


def _show(trace: Trace, opening: Opening) -> None:
    from heapstory.terminal.app import StoryApp
    from heapstory.viewing.head import make_head

    with progress("reading the trace"):
        head = make_head(trace, opening, serve=True)
    StoryApp(trace, head).run()


def _opening(trace: Trace, args: argparse.Namespace) -> Opening:
    from heapstory.viewing import findings
    from heapstory.viewing.head import Opening

    found = [one for path in args.findings for one in findings.read(trace, path)]
    if args.spec is not None:
        found = [*_located(trace, args.spec), *found]
    return Opening(
        at=None if args.at is None else trace.moment(args.at),
        node=None if args.node is None else trace.node(args.node).id,
        findings=found,
        slice=None if args.slice is None else findings.read_slice(trace, args.slice),
        source=not args.no_source,
    )


def _located(trace: Trace, spec: str) -> list[dict[str, Any]]:
    import heapstory
    from heapstory.reporters.locate import json
    from heapstory.viewing import findings

    with progress("checking the structure"):
        diagnosis = heapstory.locate(trace, spec)
    for note in diagnosis.notes:
        say(note)
    answer = {"schema": "heapstory.locate/1", **json.body(trace, diagnosis, {})}
    return findings.from_answer(trace, answer, spec)
