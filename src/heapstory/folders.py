"""Where native parts are installed, and where results are kept between runs."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from heapstory.errors import HeapstoryError


def native_folder() -> Path:
    """Where native programs and libraries are installed, beside the native core."""
    spec = importlib.util.find_spec("heapstory._core")
    if spec is None or spec.origin is None:
        raise HeapstoryError("the native core is not built (make setup)")
    return Path(spec.origin).parent / "_native"


def cache_folder() -> Path:
    """The user's cache, or a private folder in /tmp where there is none to write to."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        folder = Path(home).expanduser() / "heapstory"
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    except (OSError, RuntimeError):  # RuntimeError: no home directory
        pass
    from tempfile import gettempdir

    folder = Path(gettempdir()) / f"heapstory-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid() or folder.is_symlink():
        raise HeapstoryError(f"{folder} belongs to someone else (set XDG_CACHE_HOME)")
    return folder
