"""Settings of a project: ``heapstory.toml``, or ``[tool.heapstory]`` in ``pyproject.toml``.

A table is named after a verb, and its keys are the verb's options: what stands there is as if it
had been typed before the words of the command line, which therefore win. ``own = ["libs"]`` below
``[record]`` is ``--own libs``. Paths are meant from the folder of the file.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from heapstory.errors import UsageError

NAMES = ("heapstory.toml", "pyproject.toml")
_PATHS = ("PATH", "FILE", "FILE.json", "SPEC", "DIR")  # metavariables of options that name files


def words(parser: argparse.ArgumentParser, verb: str, given: list[str]) -> list[str]:
    """What the settings add to a command line, as words that go right behind its verb."""
    found = _find()
    if found is None:
        return []
    file, settings = found
    table = settings.get(verb, {})
    if not isinstance(table, dict):
        raise UsageError(f"{file}: [{verb}] must be a table of options")
    options = _options(parser)
    typed = given[: given.index("--")] if "--" in given else given
    added: list[str] = []
    for key, value in table.items():
        action = options.get(f"--{key}")
        if action is None:
            raise UsageError(
                f"{file}: [{verb}] {key}: {verb} has no option --{key} "
                f"(see: heapstory {verb} --help)"
            )
        repeatable = isinstance(action, argparse._AppendAction)
        if repeatable or not _is_typed(action, typed):
            added += _words(file, verb, key, action, value)
    return added


def _find() -> tuple[Path, dict[str, Any]] | None:
    """The nearest file upward from the current folder; HEAPSTORY_CONFIG names another, or none."""
    named = os.environ.get("HEAPSTORY_CONFIG")
    if named is not None:
        return (Path(named), _read(Path(named))) if named else None
    try:
        here = Path.cwd()
    except OSError:  # the current folder is gone
        return None
    for folder in (here, *here.parents):
        for name in NAMES:
            file = folder / name
            if not file.is_file():
                continue
            if name == "heapstory.toml":
                return file, _read(file)
            if b"[tool.heapstory" in file.read_bytes():
                return file, _read(file).get("tool", {}).get("heapstory", {})
    return None


def _read(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror} (HEAPSTORY_CONFIG names it)") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {error}") from error


def _options(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {
        name: action
        for action in parser._actions
        for name in action.option_strings
        if action.dest != "help"
    }


def _is_typed(action: argparse.Action, typed: list[str]) -> bool:
    return any(
        word == name or word.startswith(f"{name}=")
        for word in typed
        for name in action.option_strings
    )


def _words(file: Path, verb: str, key: str, action: argparse.Action, value: Any) -> list[str]:
    where = f"{file}: [{verb}] {key}"
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise UsageError(f"{where}: wants true or false")
        return [f"--{key}"] if value else []
    values = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not isinstance(action, argparse._AppendAction):
        raise UsageError(f"{where}: wants one value, not a list")
    if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in values):
        raise UsageError(f"{where}: wants text or numbers")
    return [f"--{key}={_meant(file, action, one)}" for one in values]


def _meant(file: Path, action: argparse.Action, value: str | int | float) -> str:
    """A path from the folder of the file; a name of something that comes with heapstory stays."""
    if not isinstance(value, str) or action.metavar not in _PATHS:
        return str(value)
    path = file.parent / value
    return str(path) if path.exists() or "/" in value or action.metavar == "PATH" else value
