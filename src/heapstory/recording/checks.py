"""What heapstory needs on this machine, whether it is there, and the command that fixes it."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from heapstory.errors import HeapstoryError
from heapstory.folders import native_folder
from heapstory.recording import engine


@dataclass(frozen=True, slots=True)
class Check:
    """One thing: found (and what), or missing (and the remedy)."""

    name: str
    ok: bool
    found: str
    remedy: str | None = None
    needed_for: str = "record"
    required: bool = True


def checks() -> list[Check]:
    """Everything, in the order in which a recording needs it."""
    return [
        _check("machine", "record", _machine, "use a 64-bit x86 Linux machine"),
        _check("python", "all", _python, "apt-get install python3"),
        _check("core", "all", _core, "make setup"),
        _check("valgrind", "record", _valgrind, "apt-get install valgrind"),
        _check("recorder", "record", _recorder, "make setup"),
        _check("collector", "record", _collector, "make setup"),
        _check(
            "libc symbols",
            "names inside libc",
            _libc_symbols,
            "apt-get install libc6-dbg",
            False,
        ),
        _check("header", "marks in programs", _header, "make setup"),
        _check("duckdb", "query", lambda: _module("duckdb"), "pip install duckdb"),
        _check("graphviz", "graph --format svg", _graphviz, "apt-get install graphviz", False),
        _check("page", "view", _page, "apt-get install nodejs npm && make setup", False),
        _check(
            "textual",
            "view --tui",
            lambda: _module("textual"),
            "pip install 'heapstory[tui]'",
            False,
        ),
        _check("clang", "leaks", lambda: _program("clang"), "apt-get install clang llvm", False),
        _check("z3", "prove", lambda: _module("z3"), "pip install 'heapstory[prove]'", False),
    ]


def include_folder() -> Path:
    """Where heapstory.h is, for programs that mark moments and roots."""
    return Path(__file__).parent.parent / "include"


def _check(
    name: str, needed_for: str, find: Callable[[], str], remedy: str, required: bool = True
) -> Check:
    try:
        return Check(name, True, find(), None, needed_for, required)
    except (HeapstoryError, OSError, ImportError) as error:
        return Check(name, False, str(error).splitlines()[0], remedy, needed_for, required)


def _machine() -> str:
    found = f"{platform.system()} {platform.machine()}"
    if found != "Linux x86_64":
        raise HeapstoryError(f"{found} is not recorded")
    return found


def _python() -> str:
    return f"{platform.python_version()}, {sys.executable}"


def _core() -> str:
    from heapstory import _core as core

    return f"trace format {core.FORMAT_VERSION}, {core.__file__}"


def _valgrind() -> str:
    found = engine.find_engine()
    version = found.version("heapstory", engine.library_folder(found))
    return f"{version}, {found.launcher}"


def _recorder() -> str:
    return str(engine.library_folder(engine.find_engine()))


def _collector() -> str:
    path = native_folder() / engine.COLLECTOR
    if not os.access(path, os.X_OK):
        raise HeapstoryError(f"{path} is missing")
    return str(path)


def _header() -> str:
    header = include_folder() / "heapstory.h"
    if not header.exists():
        raise HeapstoryError(f"{header} is missing")
    return str(header)


def _libc_symbols() -> str:
    """Valgrind finds functions of the dynamic loader by symbols that Debian keeps apart."""
    for folder in ("/usr/lib/debug/.build-id", "/usr/lib/debug/lib"):
        if Path(folder).is_dir() and any(Path(folder).iterdir()):
            return folder
    raise HeapstoryError("/usr/lib/debug has no symbols of libc")


def _page() -> str:
    """What node makes of viewer/ (make setup); wheels have it."""
    path = Path(__file__).parent.parent / "viewing" / "page" / "page.js"
    if not path.exists():
        raise HeapstoryError(f"{path} is missing")
    return str(path)


def _graphviz() -> str:
    path = _program("dot")
    done = subprocess.run([path, "-V"], capture_output=True, text=True)
    return f"{done.stderr.strip()}, {path}"


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise HeapstoryError(f"{name} is not installed")
    return path


def _module(name: str) -> str:
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise HeapstoryError(f"the Python package {name} is not installed")
    return str(spec.origin)
