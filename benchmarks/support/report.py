"""How a benchmark ends: its figures into a file, its tables into its page and on stdout, and one
line where something went wrong."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.programs.inputs import InputError
from benchmarks.support import page
from benchmarks.support.limits import LimitError
from benchmarks.support.measure import RunError


def report(
    script: str,
    place: Path,
    options: argparse.Namespace,
    measured: Callable[[argparse.Namespace], dict[str, Any]],
    rendered: Callable[[dict[str, Any]], str],
) -> int:
    """The exit status of ``script``, whose tables belong into the page at ``place``."""
    try:
        figures = measured(options)
        if options.json:
            options.json.write_text(json.dumps(figures, indent=1) + "\n")
        text = rendered(figures)
        if options.markdown:
            page.put(place, f"figures of {script}", text)
        print(text)
    except (RunError, InputError, LimitError, OSError, page.PageError) as error:
        print(f"{script}: {error}", file=sys.stderr)
        return 1
    return 0
