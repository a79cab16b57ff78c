"""heapstory completion: a script by which a shell completes commands, options and files."""

from __future__ import annotations

import argparse

from heapstory.commands.output import write
from heapstory.errors import HeapstoryError

EPILOG = """\
examples:
  heapstory completion bash > ~/.local/share/bash-completion/completions/heapstory
  heapstory completion zsh > ~/.zfunc/_heapstory     (a folder of fpath)
  heapstory completion fish > ~/.config/fish/completions/heapstory.fish"""

_SHELLS = ("bash", "zsh", "fish")
_FOLDERS = ("TRACE", "A.story", "B.story", "FOLDER", "DIR")
_FILES = ("FILE", "FILE.json", "SPEC", "PATH", "PROG ARG...")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=_SHELLS, help="the shell")


def run(args: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError:
        raise HeapstoryError(
            "the Python package shtab is not installed (pip install 'heapstory[shell]')"
        ) from None
    from heapstory.commands import build_parser

    parser = build_parser()
    for action in _all_actions(parser):
        if action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    write(shtab.complete(parser, shell=args.shell))
    return 0


def _all_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Those of a parser and of the verbs below it."""
    found = []
    for action in parser._actions:
        found.append(action)
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                found += _all_actions(below)
    return found
