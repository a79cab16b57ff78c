"""heapstory graph: the memory graph as of a timestamp, or its whole evolution."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from heapstory.commands.options import (
    add_at,
    add_format,
    add_output,
    add_trace,
    chosen_format,
    number,
)
from heapstory.commands.output import finish, write, write_bytes
from heapstory.commands.progress import progress
from heapstory.errors import LimitError

if TYPE_CHECKING:
    from heapstory.graph.memory_graph import MemoryGraph

EPILOG = """\
examples:
  heapstory graph list.story                          the graph at the end
  heapstory graph list.story --at 120 --root head --depth 4
  heapstory graph list.story --at list.c:31#2 -o list.png   after line 31 wrote for the second time
  heapstory graph list.story --at peak                when the heap was largest
  heapstory graph list.story --evolution -o mgpp.svg  every version of every edge, old ones dashed
  heapstory graph list.story --type 'struct node' --data

Variables that no pointer to or from the heap touches are left out of drawings (--all)."""

_FORMATS = ("text", "json", "dot", "svg", "png", "pdf")
_LIMITS = {"text": 200, "dot": 400, "svg": 400, "png": 400, "pdf": 400}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    add_at(parser, "the moment (default: the end)")
    parser.add_argument("--freed", action="store_true", help="keep nodes after their end")
    parser.add_argument(
        "--evolution",
        action="store_true",
        help="MG++: every node, every version of every edge",
    )
    parser.add_argument("--data", action="store_true", help="fields that hold no pointer as well")
    part = parser.add_argument_group("a part of a big graph")
    part.add_argument("--root", metavar="NODE|NAME", help="only what can be reached from here")
    part.add_argument("--depth", type=number, metavar="N", help="within N edges")
    part.add_argument("--type", metavar="T", help="nodes of this type")
    part.add_argument(
        "--touched",
        action="store_true",
        help="without nodes that nothing ever accessed (mode internals)",
    )
    part.add_argument(
        "--all", action="store_true", help="also variables that have no pointer to or from the heap"
    )
    part.add_argument("--limit", type=number, metavar="N", help="most nodes to draw (0: no limit)")
    add_format(parser, _FORMATS)
    add_output(parser, "its ending chooses the format")


def run(args: argparse.Namespace) -> int:
    import heapstory

    form = chosen_format(args, _FORMATS)
    with heapstory.open(args.trace) as trace:
        with progress("reading the graph"):
            graph = trace.graph(args.at, freed=args.freed or args.evolution)
            if args.touched:
                graph = graph.touched()
            if args.root is not None or args.depth is not None or args.type is not None:
                graph = graph.narrow(root=args.root, depth=args.depth, type=args.type)
            elif form != "json" and not args.all:
                graph = graph.connected()
            answer = _render(graph, form, args)
        if isinstance(answer, bytes):
            write_bytes(answer, args.output)
        else:
            write(answer, args.output)
        return finish(trace)


def _render(graph: MemoryGraph, form: str, args: argparse.Namespace) -> str | bytes | Iterator[str]:
    if form == "json":
        return _json(graph, args)
    _check_size(graph, form, args.limit)
    from heapstory.graph.drawing import draw
    from heapstory.reporters import dot, svg
    from heapstory.reporters.graph import text
    from heapstory.reporters.style import PLAIN, Style

    drawing = draw(graph, data=args.data, history=args.evolution)
    if form == "text":
        return text.graph(drawing, PLAIN if args.output else Style.of(sys.stdout))
    described = dot.render(drawing)
    if form == "dot":
        return described
    return svg.svg(described) if form == "svg" else svg.picture(described, form)


def _json(graph: MemoryGraph, args: argparse.Namespace) -> Iterator[str]:
    from heapstory.graph.evolution import evolution
    from heapstory.reporters.graph import json

    gc.disable()  # millions of small objects, none of them in cycles, and the process ends soon
    if args.evolution:
        return json.graph(graph, json.evolution(evolution(graph)))
    return json.graph(graph, json.edges(graph, args.data))


def _check_size(graph: MemoryGraph, form: str, limit: int | None) -> None:
    most = _LIMITS[form] if limit is None else limit
    if most and len(graph) > most:
        raise LimitError(
            f"{len(graph):,} nodes are too many to draw (most: {most:,}); narrow the graph with "
            "--root, --depth or --type, raise --limit, or take all of it with --json"
        )
