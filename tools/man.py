"""Man pages from the option tables: heapstory.1 and one page per verb, into a folder.

python tools/man.py FOLDER
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from argparse_manpage.manpage import Manpage

from heapstory.commands import VERBS, build_parser
from heapstory.version import version


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    parser = build_parser()
    verbs = next(
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )
    write(folder / "heapstory.1", build_parser(only=""), parser.description or "")
    for verb, summary in VERBS.items():
        write(folder / f"heapstory-{verb}.1", verbs.choices[verb], summary)
    return 0


def write(file: Path, parser: argparse.ArgumentParser, summary: str) -> None:
    parser.man_short_description = summary.rstrip(".")  # type: ignore[attr-defined]
    name = file.stem
    data = {"project_name": name, "prog": name.replace("-", " "), "version": version()}
    page = Manpage(parser, {**data, "manual_title": "heapstory"})
    file.write_text(str(page), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
