"""A sign of life on a terminal for anything longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 1.0


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Shows what is being done, from the second second on; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(what, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(what: str, done: threading.Event) -> None:
    if done.wait(SECONDS):
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} ..."):
        done.wait()
