"""The engine: the Valgrind that came with heapstory, or another one that was asked for, and the
folder that holds our tool beside its files."""

from __future__ import annotations

import os
import shutil
import zlib
from dataclasses import dataclass
from pathlib import Path

from heapstory.errors import HeapstoryError
from heapstory.folders import cache_folder, native_folder

TOOL = "heapstory-amd64-linux"
PRELOAD = "vgpreload_heapstory-amd64-linux.so"
STRINGS = "vgpreload_strings-amd64-linux.so"  # the preload object that leaves malloc alone
CHECKED = "vgpreload_checked-amd64-linux.so"  # the one that replaces strlen and its like, too
COLLECTOR = "heapstory-collector"
_CORE_PRELOAD = "vgpreload_core-amd64-linux.so"
_INSTALL = "apt-get install valgrind"


@dataclass(frozen=True, slots=True)
class Engine:
    """A Valgrind: the program that starts tools, and the folder of its own files."""

    launcher: Path
    files: Path
    bundled: bool = False  # the one that our tool was built from

    def version(self, tool: str, library: Path | None = None) -> str:
        """The version of Valgrind a tool was built from, as the tool itself says."""
        import subprocess

        environment = dict(os.environ)
        environment.pop("VALGRIND_LIB", None)
        if library is not None:
            environment["VALGRIND_LIB"] = str(library)
        done = subprocess.run(
            [self.launcher, f"--tool={tool}", "--command-line-only=yes", "--version"],
            env=environment,
            capture_output=True,
            text=True,
        )
        version = done.stdout.strip().removeprefix("valgrind-")
        if done.returncode != 0 or not version:
            reason = (done.stderr.strip().splitlines() or ["no answer"])[0]
            raise HeapstoryError(f"{self.launcher} does not start ({reason}; {_INSTALL})")
        return version


def find_engine() -> Engine:
    """The Valgrind beside our tool; another one only where HEAPSTORY_VALGRIND names it."""
    asked = os.environ.get("HEAPSTORY_VALGRIND")
    bundled = native_folder() / "engine"
    if not asked and os.access(bundled / "valgrind", os.X_OK):
        return Engine(bundled / "valgrind", bundled, bundled=True)
    return _installed(asked or "valgrind")


def _installed(name: str) -> Engine:
    """A Valgrind of the machine, by the name or path of its launcher."""
    found = shutil.which(name)
    if found is None:
        raise HeapstoryError(f"{name} is not installed ({_INSTALL})")
    # Debian's valgrind is a script that changes LD_LIBRARY_PATH and more for the program;
    # valgrind.bin beside it is the real one.
    real = Path(found).with_name("valgrind.bin")
    launcher = real if os.access(real, os.X_OK) else Path(found)
    prefix = launcher.resolve().parent.parent
    folders = [
        prefix / "libexec/valgrind",
        prefix / "lib/valgrind",
        prefix / "lib/x86_64-linux-gnu/valgrind",
        prefix / "lib64/valgrind",
    ]
    for folder in folders:
        if (folder / _CORE_PRELOAD).exists():
            return Engine(launcher, folder)
    raise HeapstoryError(f"{_CORE_PRELOAD} of Valgrind was not found under {prefix} ({_INSTALL})")


def library_folder(engine: Engine, preload: str = PRELOAD) -> Path:
    """A folder for VALGRIND_LIB: our tool, and links to Valgrind's own files.

    Made once per pair of tool and Valgrind and kept in the user's cache; that both have the same
    version is checked when it is made.
    """
    links = _links(engine, preload)
    about = [(name, target, target.stat()) for name, target in sorted(links.items())]
    key = zlib.crc32(repr([(n, t, s.st_size, s.st_mtime_ns) for n, t, s in about]).encode())
    built = links[TOOL].stat().st_mtime_ns
    folder = cache_folder() / f"valgrind-{built:x}-{key:08x}"
    if not folder.is_dir():
        _make(engine, folder, links)
    return folder


def _links(engine: Engine, preload: str) -> dict[str, Path]:
    tools = native_folder() / "valgrind"
    for name in (TOOL, preload):
        if not (tools / name).exists():
            raise HeapstoryError(f"{tools / name} is missing (make setup)")
    own = {file.name: file for file in engine.files.iterdir() if file.suffix in (".xml", ".supp")}
    return {
        **own,
        _CORE_PRELOAD: engine.files / _CORE_PRELOAD,
        TOOL: tools / TOOL,
        PRELOAD: tools / preload,
    }


def _make(engine: Engine, folder: Path, links: dict[str, Path]) -> None:
    from tempfile import mkdtemp

    draft = Path(mkdtemp(prefix=".valgrind-", dir=folder.parent))
    try:
        for name, target in links.items():
            (draft / name).symlink_to(target)
        if not engine.bundled:
            _check_version(engine, draft)
        draft.rename(folder)
    except OSError:
        if not folder.is_dir():  # else someone else was quicker, with the same result
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _check_version(engine: Engine, draft: Path) -> None:
    built, installed = engine.version("heapstory", draft), engine.version("none")
    if built != installed:
        raise HeapstoryError(
            f"the recorder was built for valgrind {built}, but {engine.launcher} is of {installed} "
            "(unset HEAPSTORY_VALGRIND, or build the recorder again: make setup)"
        )
