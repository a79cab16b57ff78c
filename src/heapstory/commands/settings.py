"""Settings of a project: ``heapstory.toml``, or ``[tool.heapstory]`` in ``pyproject.toml``.

A table is named after a verb, and its keys are the verb's options: what stands there is as if it
had been typed before the words of the command line, which therefore win. ``own = ["libs"]`` below
``[record]`` is ``--own libs``. Paths are meant from the folder of the file.
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import Any

from heapstory.errors import UsageError

NAMES = ("heapstory.toml", "pyproject.toml")
_PATHS = ("PATH", "FILE", "FILE.json", "SPEC", "DIR")  # metavariables of options that name files


def words(verbs: dict[str, argparse.ArgumentParser], verb: str, given: list[str]) -> list[str]:
    """What the settings add to a command line, as words that go right behind its verb."""
    found = _find()
    if found is None:
        return []
    file, settings = found
    for name, table in settings.items():
        if name not in verbs:
            raise _error(file, name, None, "no command has this name (see: heapstory --help)")
        if not isinstance(table, dict):
            raise _error(file, name, None, "must be a table of options")
    options = _options(verbs[verb])
    typed = given[: given.index("--")] if "--" in given else given
    added: list[str] = []
    for key, value in settings.get(verb, {}).items():
        action = options.get(_option(key))
        if action is None:
            remedy = f"{verb} has no option {_option(key)} (see: heapstory {verb} --help)"
            raise _error(file, verb, key, remedy)
        repeatable = isinstance(action, argparse._AppendAction)
        if repeatable or not _is_typed(action, typed):
            try:
                added += _words(verbs[verb], file, key, action, value)
            except ValueError as error:
                raise _error(file, verb, key, str(error)) from None
    return added


def _error(file: Path, verb: str, key: str | None, said: str) -> UsageError:
    line = _line(file, verb, key)
    where = f"{file}:{line}" if line else str(file)
    return UsageError(f"{where}: [{verb}]{f' {key}' if key else ''}: {said}")


def _line(file: Path, verb: str, key: str | None) -> int | None:
    """Where a table begins, or a key of it stands; None in one of TOML's other spellings."""
    lines = file.read_text(encoding="utf-8").splitlines()
    table = rf"\s*(\[\s*(tool\s*\.\s*heapstory\s*\.\s*)?)?{re.escape(verb)}\s*[\]=]"
    begin = next((n for n, line in enumerate(lines, 1) if re.match(table, line)), None)
    if begin is None or key is None:
        return begin
    for number, line in enumerate(lines[begin:], begin + 1):
        if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
        if line.lstrip().startswith("[") and "=" not in line:
            break
    return begin


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


def _option(key: str) -> str:
    return f"--{key}" if len(key) > 1 else f"-{key}"


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


def _words(
    parser: argparse.ArgumentParser, file: Path, key: str, action: argparse.Action, value: Any
) -> list[str]:
    """An option and its value or values; ValueError: they are not what it wants."""
    name = _option(key)
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ValueError("wants true or false")
        return [name] if value else []
    values = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not isinstance(action, argparse._AppendAction):
        raise ValueError("wants one value, not a list")
    if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in values):
        raise ValueError("wants text or numbers")
    meant = [_meant(file, action, one) for one in values]
    for one in meant:
        try:
            parser._get_values(action, [one])
        except argparse.ArgumentError as error:
            raise ValueError(error.message) from None
    return [f"{name}={one}" if len(key) > 1 else f"{name}{one}" for one in meant]


def _meant(file: Path, action: argparse.Action, value: str | int | float) -> str:
    """A path from the folder of the file; a name of something that comes with heapstory stays."""
    if not isinstance(value, str) or action.metavar not in _PATHS:
        return str(value)
    path = file.parent / value
    return str(path) if path.exists() or "/" in value or action.metavar == "PATH" else value
