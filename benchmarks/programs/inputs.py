"""Makes the inputs and checks them against their pinned sums.

``python3 -m benchmarks.programs.inputs --pin`` rewrites ``inputs.sha256`` after a deliberate
change.
"""

import hashlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.programs import grammar, graphs, orders, pages, trees

HERE = Path(__file__).resolve().parent
SUMS = HERE / "inputs.sha256"

Maker = Callable[[Path], None]

# Sizes of the graphs are those of the paper's Table I.
MAKERS: dict[str, Maker] = {
    "names": lambda path: trees.write_many(path, 801, packages=24),
    "tree": lambda path: trees.write(path, 800),
    "page.html": lambda path: pages.write(path, 146, sections=4500),
    "c.y": grammar.write,
    "netscience.txt": lambda path: graphs.write(path, 1589, 2742, 18),
    "yeast.txt": lambda path: graphs.write(path, 2361, 7182, 20),
    "wiki.txt": lambda path: graphs.write(path, 7115, 103689, 21),
    "orders.sql": lambda path: orders.write(path, 340, days=380),
    "quick-names": lambda path: trees.write_many(path, 801, packages=1, share=0.1),
    "quick-tree": lambda path: trees.write(path, 800, share=0.02),
    "quick-page.html": lambda path: pages.write(path, 146, sections=20),
    "quick-c.y": grammar.write_small,
    "quick-graph.txt": lambda path: graphs.write(path, 60, 150, 22),
    "quick-orders.sql": lambda path: orders.write(path, 340, 2, customers=50, products=40),
}


class InputError(Exception):
    """An input is not what was pinned."""


def digest(path: Path) -> str:
    """The sum of a file, or of a folder's sorted names and contents."""
    total = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if path.is_dir():
            total.update(f"{file.relative_to(path)}\0".encode())
        if file.is_file():
            total.update(file.read_bytes())
    return total.hexdigest()


def pinned() -> dict[str, str]:
    lines = SUMS.read_text().splitlines()
    return {name: value for value, name in (line.split("  ", 1) for line in lines)}


def provide(name: str, folder: Path) -> Path:
    """The input of that name below ``folder``, made if missing, its sum checked on every call."""
    path = folder / name
    if not path.exists():
        _make(name, path)
    if digest(path) != pinned().get(name):
        raise InputError(f"{path} differs from inputs.sha256; remove it and run again")
    return path


def _make(name: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    if draft.is_dir():
        shutil.rmtree(draft)
    MAKERS[name](draft)
    draft.rename(path)


def pin(folder: Path) -> None:
    lines = []
    for name in MAKERS:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        _make(name, path)
        lines.append(f"{digest(path)}  {name}")
    SUMS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--pin"]:
        sys.exit("usage: inputs.py --pin")
    pin(HERE.parent.parent / "build" / "bench" / "inputs")
