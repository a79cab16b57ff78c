"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_MOST_NAME = 200  # bytes of a name that the name of its draft takes over


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place at ``path`` once all of it is written.

    Until then a file that was there stays as it was: a full disk or a killed process leaves no part
    of an answer. What cannot be replaced (a pipe, a device, a file in a folder that may not be
    written to) is written to directly.
    """
    target = Path(os.path.realpath(path))
    if not _can_be_replaced(target):
        with path.open("wb") as file:
            yield file
        return
    name = os.fsdecode(os.fsencode(target.name)[:_MOST_NAME])
    draft = target.with_name(f".{name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    try:
        with draft.open("xb") as file:
            yield file
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o7777)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _can_be_replaced(target: Path) -> bool:
    return not target.exists() or (target.is_file() and os.access(target.parent, os.W_OK))
