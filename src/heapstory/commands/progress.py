"""A sign of life on a terminal for anything longer than a second."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS = 1.0
CLEAR = "\r\x1b[K"


class Stage:
    """What work that has stages is doing now: the work tells it, ``progress`` asks."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self) -> str:
        return self.text

    def tell(self, text: str) -> None:
        """The next stage."""
        self.text = text


@contextmanager
def progress(what: str | Callable[[], str]) -> Iterator[None]:
    """Shows what is being done, from the second second on; nothing where stderr is no terminal.

    A function is asked again and again, for work that has stages.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    done = threading.Event()
    text = what if callable(what) else lambda: what
    # A plain thread that imports nothing: the static analysis forks its workers meanwhile.
    thread = threading.Thread(target=_show, args=(text, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(text: Callable[[], str], done: threading.Event) -> None:
    if done.wait(SECONDS):
        return
    while not done.is_set():
        line = f"{text()} ..."[: shutil.get_terminal_size().columns - 1]
        print(f"{CLEAR}{line}", end="", file=sys.stderr, flush=True)
        done.wait(0.2)
    print(CLEAR, end="", file=sys.stderr, flush=True)
