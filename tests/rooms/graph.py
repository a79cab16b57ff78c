"""Who knows whom: the imports of src/heapstory and the includes of native, file by file.

An import counts wherever it stands, in a function or under TYPE_CHECKING too. A header that comes
from elsewhere (the system, Valgrind, Python) is nobody here.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from os.path import commonpath, normpath
from pathlib import Path

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
PYTHON_SUFFIXES = {".py", ".pyi"}
NATIVE_SUFFIXES = {".c", ".h", ".cpp", ".S"}


@dataclass(frozen=True)
class Use:
    """A line of one file that needs another."""

    file: Path
    line: int
    used: Path

    def __str__(self) -> str:
        return f"{self.file}:{self.line} uses {self.used}"


def python_uses(root: Path, package: str) -> list[Use]:
    """The imports of the package whose parent folder is root, paths relative to root."""
    files = {path.relative_to(root) for path in (root / package).rglob("*.py*")}
    files = {file for file in files if file.suffix in PYTHON_SUFFIXES}
    modules = {_module(file): file for file in files}
    return [use for file in sorted(files) for use in _imports(root, file, modules)]


def native_uses(root: Path) -> list[Use]:
    """The includes of all C and C++ below root, paths relative to root."""
    paths = (path for path in root.rglob("*") if path.suffix in NATIVE_SUFFIXES)
    files = {path.relative_to(root) for path in paths}
    return [use for file in sorted(files) for use in _includes(root, file, files)]


def _module(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(root: Path, file: Path, modules: dict[str, Path]) -> Iterator[Use]:
    package = ".".join(file.parent.parts)
    for node in ast.walk(ast.parse((root / file).read_text())):
        for name in _names(node, package):
            if (used := _innermost(name, modules)) and used != file:
                yield Use(file, node.lineno, used)  # type: ignore[attr-defined]


def _names(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        return [f"{base}.{alias.name}" for alias in node.names]
    return []


def _innermost(name: str, modules: dict[str, Path]) -> Path | None:
    """The module that the name is, or that it is taken from."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return modules.get(name)


def _includes(root: Path, file: Path, files: set[Path]) -> Iterator[Use]:
    for number, line in enumerate((root / file).read_text().splitlines(), 1):
        if found := INCLUDE.match(line):
            used = _header(file, found[1], files)
            if used and used != file:
                yield Use(file, number, used)


def _header(file: Path, name: str, files: set[Path]) -> Path | None:
    """Beside the file that includes it, or wherever the folders given to the compiler lead."""
    beside = Path(normpath(file.parent / name))
    if beside in files:
        return beside
    wanted = Path(name).parts
    matching = [path for path in files if path.parts[-len(wanted) :] == wanted]
    nearest = max((_shared(file, path) for path in matching), default=0)
    matching = [path for path in matching if _shared(file, path) == nearest]
    assert len(matching) < 2, f"{file} includes {name}, which may be any of {matching}"
    return matching[0] if matching else None


def _shared(one: Path, other: Path) -> int:
    """How many folders from the top two files have in common."""
    return len(Path(commonpath([one, other])).parts)


def entry(folder: Path, file: Path) -> str | None:
    """What a file is, seen from a folder: one of its sub-folders, or a file (x.h and x.cpp: x)."""
    if not file.is_relative_to(folder):
        return None
    parts = file.relative_to(folder).parts
    return f"{parts[0]}/" if len(parts) > 1 else Path(parts[0]).stem


def between_entries(folder: Path, uses: Iterable[Use]) -> dict[tuple[str, str], list[Use]]:
    """The uses between different entries of one folder."""
    edges = defaultdict(list)
    for use in uses:
        ends = entry(folder, use.file), entry(folder, use.used)
        if ends[0] and ends[1] and ends[0] != ends[1]:
            edges[ends[0], ends[1]].append(use)
    return dict(edges)


def folders(uses: Iterable[Use]) -> set[Path]:
    return {parent for use in uses for file in (use.file, use.used) for parent in file.parents}


def cycle(folder: Path, uses: Iterable[Use]) -> list[Use]:
    """The uses along one cycle between the entries of a folder; empty where there is none."""
    edges = between_entries(folder, uses)
    graph = defaultdict(set)
    for user, used in edges:
        graph[user].add(used)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        way: list[str] = error.args[1][::-1]  # each was used by the one before
        return [edges[ends][0] for ends in pairwise(way)]
    return []
