"""Models of functions that come without source: those in ``libraries`` and the user's own files."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from heapstory.errors import UsageError

_LISTS = ("zeroed", "certain", "ends", "reads", "fills", "counts")
_NUMBERS = ("releases", "empties", "returns")
# Obstacks keep account of their chunks themselves; that code is beyond what summaries follow.
_STANDARD = frozenset(
    ["malloc", "calloc", "realloc", "free", "strdup", "strndup"]
    + [prefix + "obstack_" + name for prefix in ("_", "rpl_", "") for name in
       ("begin", "begin_1", "newchunk", "free", "allocated_p", "memory_used")]
)  # fmt: skip
_SUCCESS = ("=0", ">=0", "!=0")


@dataclass(slots=True)
class Models:
    """What is known of functions without source, by name."""

    allocates: dict[str, str] = field(default_factory=dict)
    allocates_unless: dict[str, tuple[int, str]] = field(default_factory=dict)
    releases: dict[str, int] = field(default_factory=dict)
    empties: dict[str, int] = field(default_factory=dict)
    gives: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    returns: dict[str, int] = field(default_factory=dict)
    zeroed: set[str] = field(default_factory=set)
    certain: set[str] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    fills: set[str] = field(default_factory=set)
    counts: set[str] = field(default_factory=set)

    def standard(self, name: str) -> bool:
        """Whether a program's own definition of this name is an allocator in its own right."""
        return name in _STANDARD

    def digest(self) -> list[object]:
        """The models in an order that is the same in every process."""
        tables = self._tables()
        sets = (self.zeroed, self.certain, self.ends, self.reads, self.fills, self.counts)
        return [*(sorted(t.items()) for t in tables), *(sorted(s) for s in sets)]

    def _tables(self) -> tuple[dict[str, object], ...]:
        return (
            dict(self.allocates),
            dict(self.allocates_unless),
            dict(self.releases),
            dict(self.empties),
            dict(self.gives),
            dict(self.returns),
        )

    def known(self, name: str) -> bool:
        """Whether there is a model of this function."""
        return any(name in names for names in (*self._tables(), self.reads, self.fills, self.ends))


def load_models(extra: list[Path]) -> Models:
    """The shipped models with the user's on top."""
    models = Models()
    shipped = sorted(Path(__file__).with_name("libraries").glob("*.toml"))
    for path in [*shipped, *extra]:
        _read(models, path)
    return models


def _read(models: Models, path: Path) -> None:
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except OSError as error:
        raise UsageError(f"{path}: cannot read the models: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a models file: {error}") from error
    for key, value in content.items():
        _read_table(models, path, key, value)


def _read_table(models: Models, path: Path, key: str, value: object) -> None:
    if (key in _LISTS and isinstance(value, list) and all(isinstance(v, str) for v in value)) or (
        key in _NUMBERS and isinstance(value, dict) and _all(value, int)
    ):
        getattr(models, key).update(value)
    elif key == "allocates" and isinstance(value, dict) and _all(value, str):
        models.allocates.update(value)
    elif key == "allocates_unless" and isinstance(value, dict):
        for name, row in value.items():
            if not (isinstance(row, list) and [type(part) for part in row] == [int, str]):
                raise UsageError(f'{path}: allocates_unless.{name} must be [argument, "free"]')
            models.allocates_unless[name] = (row[0], row[1])
    elif key == "gives" and isinstance(value, dict):
        for name, row in value.items():
            if not (isinstance(row, list) and len(row) == 3 and row[1] in _SUCCESS):
                raise UsageError(f'{path}: gives.{name} must be [argument, "=0", "free"]')
            models.gives[name] = (int(row[0]), str(row[1]), str(row[2]))
    else:
        known = ", ".join((*_LISTS, *_NUMBERS, "allocates", "allocates_unless", "gives"))
        raise UsageError(
            f"{path}: '{key}' is not a table of models, or its form is wrong; known: {known}"
        )


def _all(table: dict[object, object], kind: type) -> bool:
    return all(isinstance(v, kind) and not isinstance(v, bool) for v in table.values())
