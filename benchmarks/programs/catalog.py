"""The programs of the paper's Table I and one long-running one, with what each is run on."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.programs import inputs
from benchmarks.support.measure import RunError
from tests.support.programs import program

HERE = Path(__file__).resolve().parent
C_FLAGS = ["-O2", "-g", "-Wall", "-Wextra"]


@dataclass(frozen=True)
class Program:
    """One row of the table: a command, its input and what the paper said of it."""

    name: str
    structure: str
    work: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    stdin: Path | None = None
    statuses: tuple[int, ...] = (0,)
    scratch: Path | None = None  # removed before every run


class Workshop:
    """Builds programs and inputs below one folder; ``quick`` takes the tiny inputs.

    Programs and inputs are shared; what a run writes goes into ``desk``, its own.
    """

    def __init__(self, folder: Path, desk: Path, quick: bool = False) -> None:
        self.folder = folder
        self.desk = desk
        self.quick = quick

    def input(self, name: str) -> Path:
        if self.quick:
            name = "quick-graph.txt" if name.endswith(".txt") else f"quick-{name}"
        return inputs.provide(name, self.folder / "inputs")

    def times(self, full: int, quick: int = 1) -> int:
        return quick if self.quick else full

    def compiled(self, name: str) -> str:
        binary = self.folder / "bin" / name
        tested = program(f"discovery/{name}.c")  # some are tests as well
        source = tested if tested.exists() else HERE / f"{name}.c"
        shared = program("discovery/graph.h")
        newest = max(source.stat().st_mtime, shared.stat().st_mtime)
        if not binary.exists() or binary.stat().st_mtime < newest:
            binary.parent.mkdir(parents=True, exist_ok=True)
            command = ["gcc", *C_FLAGS, f"-I{shared.parent}", "-o", str(binary), str(source)]
            subprocess.run(command, check=True)
        return str(binary)


def _ls(shop: Workshop) -> Program:
    names = str(shop.input("names"))
    return Program(
        "ls",
        "array and linked list",
        "ls -R on 24 source trees (49,000 files), 25 times",
        ["/usr/bin/ls", "-R", *[names] * shop.times(25)],
    )


def _tidy(shop: Workshop) -> Program:
    return Program(
        "tidy",
        "tree",
        "a page of 6 MB in old HTML",
        ["/usr/bin/tidy", "-q", "--show-warnings", "no", str(shop.input("page.html"))],
        statuses=(0, 1),
    )


def _bison(shop: Workshop) -> Program:
    command = ["/usr/bin/bison", "-Wno-conflicts-sr", "-Dlr.type=canonical-lr"]
    # m4, which bison starts at the end, runs outside the tools, as a child does by default.
    return Program(
        "bison",
        "array and linked list",
        "a C23 grammar, canonical LR",
        [*command, "-o", "/dev/null", str(shop.input("c.y"))],
    )


def _python(shop: Workshop, name: str, environment: dict[str, str], rounds: int) -> Program:
    command = ["/usr/bin/python3", "-S", "-B", str(HERE / "pagerank.py")]
    rounds = shop.times(rounds)
    return Program(
        name,
        "linked lists and trees",
        f"page rank, 7,115 pages, {rounds} rounds",
        [*command, str(shop.input("wiki.txt")), str(rounds)],
        {"PYTHONHASHSEED": "0", **environment},
    )


def _perl(shop: Workshop) -> Program:
    return Program(
        "perl",
        "arrays and linked lists",
        "file search in one source tree (2,000 files), twice",
        ["/usr/bin/perl", str(HERE / "search.pl"), str(shop.input("tree")), str(shop.times(2))],
        {"PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"},
    )


def _colouring(shop: Workshop) -> Program:
    rounds = str(shop.times(12000, 5))
    return Program(
        "colouring",
        "linked list of arrays",
        "1,589 nodes, 2,742 edges, 12,000 rounds",
        [shop.compiled("colouring"), str(shop.input("netscience.txt")), rounds],
    )


def _independent(shop: Workshop) -> Program:
    rounds = str(shop.times(12000, 5))
    return Program(
        "independent",
        "linked list",
        "2,361 nodes, 7,182 edges, 12,000 rounds",
        [shop.compiled("independent"), str(shop.input("yeast.txt")), rounds],
    )


def _shortest(shop: Workshop) -> Program:
    return Program(
        "shortest",
        "shards",
        "7,115 nodes, 103,689 edges, 16 shards, 600 sources",
        [shop.compiled("shortest"), str(shop.input("wiki.txt")), "16", str(shop.times(600, 2))],
    )


def _sqlite(shop: Workshop) -> Program:
    database = shop.desk / "orders.db"
    return Program(
        "sqlite3",
        "B-trees",
        "a shop over 380 days: inserts, updates, deletes, reports",
        ["/usr/bin/sqlite3", "-bail", "-init", "/dev/null", str(database)],
        stdin=shop.input("orders.sql"),
        scratch=database,
    )


def start_up(shop: Workshop) -> Program:
    """The trivial program whose figures are the start-up of each tool."""
    return Program("start-up", "", "one malloc, one free", [shop.compiled("nothing")])


PROGRAMS: dict[str, Callable[[Workshop], Program]] = {
    "ls": _ls,
    "tidy": _tidy,
    "bison": _bison,
    "python": lambda shop: _python(shop, "python", {}, 40),
    "python-malloc": lambda shop: _python(shop, "python-malloc", {"PYTHONMALLOC": "malloc"}, 40),
    "perl": _perl,
    "colouring": _colouring,
    "independent": _independent,
    "shortest": _shortest,
    "sqlite3": _sqlite,
}


def require_packages() -> None:
    """A RunError where this machine lacks a package that the benchmark needs."""
    needs = {"valgrind": "valgrind", "tidy": "tidy", "bison": "bison", "perl": "perl"}
    needs |= {"sqlite3": "sqlite3", "gcc": "gcc"}
    lacking = [package for command, package in needs.items() if not shutil.which(command)]
    if lacking:
        raise RunError(f"missing packages: apt-get install {' '.join(lacking)}")
