"""heapstory info: what is in a trace."""

from __future__ import annotations

import argparse

from heapstory.commands.options import add_format, add_trace, finish, write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    add_format(parser, ("text", "json"))


def run(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory.reporters import json, text

    with heapstory.open(args.trace) as trace:
        answer = trace.info()
        if args.format == "json":
            write(json.dumps("info", json.info(answer)))
        else:
            write(text.info(answer))
        return finish(trace)
