"""A sign of life on a terminal for anything longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS = 1.0


@contextmanager
def progress(what: str | Callable[[], str]) -> Iterator[None]:
    """Shows what is being done, from the second second on; nothing where stderr is no terminal.

    A function is asked again and again, for work that has stages.
    """
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


def _show(what: str | Callable[[], str], done: threading.Event) -> None:
    if done.wait(SECONDS):
        return
    from rich.console import Console

    text = what if callable(what) else lambda: what
    with Console(stderr=True).status(f"{text()} ...") as status:
        while not done.wait(0.2):
            status.update(f"{text()} ...")
