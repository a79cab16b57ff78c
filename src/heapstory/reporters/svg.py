"""SVG, PNG and PDF, laid out by Graphviz."""

from __future__ import annotations

import shutil
import subprocess

from heapstory.errors import HeapstoryError, LimitError

SECONDS = 60


def svg(dot: str, seconds: float = SECONDS) -> str:
    """Runs ``dot -Tsvg``."""
    return picture(dot, "svg", seconds).decode()


def picture(dot: str, form: str, seconds: float = SECONDS) -> bytes:
    """Runs ``dot`` for one of its formats."""
    program = shutil.which("dot")
    if program is None:
        raise HeapstoryError("dot is not installed (apt-get install graphviz; or use --format dot)")
    try:
        done = subprocess.run(
            [program, f"-T{form}"], input=dot.encode(), capture_output=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise LimitError(
            f"Graphviz did not lay the graph out in {seconds:g} s "
            "(narrow it: --root, --depth, --type; or take --format dot)"
        ) from None
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        raise HeapstoryError(f"dot failed: {reason[-1] if reason else done.returncode}")
    return done.stdout
