"""The programs of the thesis' Table 4.3, from Debian's sources: fetched as source packages, given
one fault by an edit rule, and built with debug information. None of their code is kept here: a rule
names a function and what to look for in it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent / "real"
SOURCES = Path("/etc/apt/sources.list.d")


class RealError(Exception):
    """A source package could not be fetched, edited or built."""


@dataclass(frozen=True)
class Rule:
    """Within a function, replaces every match of a pattern; `accepted` are the functions whose
    lines a good answer names, besides the edited lines themselves."""

    file: str
    function: str
    pattern: str
    replacement: str
    accepted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Real:
    """One row of the table."""

    name: str
    package: str
    structure: str
    rule: Rule
    build: Callable[[Path], Path]  # from the source tree to the program
    command: Callable[[Path, Path], list[str]]  # from the program and the tree
    stdin: str | None = None  # a file of the tree
    thesis: int = 0
    hangs: bool = False  # the fault leads to an endless loop, which is ended by a signal


def fetch(package: str, work: Path) -> Path:
    """The unpacked upstream source of a package, from the machine's own archives."""
    tree = work / package
    if (tree / ".complete").exists():
        return tree
    lists = _source_lists(work)
    settings = ["-o", f"Dir::Etc::SourceParts={lists}", "-o", "Dir::Etc::SourceList=/dev/null",
                "-o", f"Dir::State::Lists={lists / 'state'}",
                "-o", "APT::Sandbox::User=root"]  # fmt: skip
    folder = work / "packages" / package
    folder.mkdir(parents=True, exist_ok=True)
    _run(["apt-get", "-q", *settings, "update"], folder)
    _run(["apt-get", "-q", *settings, "source", "--download-only", package], folder)
    archive = next(one for one in sorted(folder.glob("*.orig.tar.*")) if one.suffix != ".asc")
    tree.mkdir(exist_ok=True)
    _run(["tar", "xf", str(archive), "-C", str(tree), "--strip-components=1"], folder)
    (tree / ".complete").touch()
    return tree


def _source_lists(work: Path) -> Path:
    """The machine's archives, asked for sources instead of binaries."""
    lists = work / "apt"
    (lists / "state" / "partial").mkdir(parents=True, exist_ok=True)
    for given in SOURCES.glob("debian*.sources"):
        text = re.sub(r"^Types:.*$", "Types: deb-src", given.read_text(), flags=re.MULTILINE)
        (lists / given.name).write_text(text)
    return lists


def edited(tree: Path, rule: Rule) -> frozenset[int]:
    """Applies a rule and gives back the lines of the file that a good answer may name."""
    path = tree / rule.file
    kept = path.with_name(path.name + ".upstream")
    if not kept.exists():
        kept.write_bytes(path.read_bytes())
    text = kept.read_text(encoding="latin-1")
    start, end = _body(text, rule.function)
    old = text[start:end]
    new, count = re.subn(rule.pattern, rule.replacement, old)
    if not count:
        raise RealError(f"{path}: nothing matches {rule.pattern!r} in {rule.function}")
    path.write_text(text[:start] + new + text[end:], encoding="latin-1")
    first = text[:start].count("\n") + 1
    pairs = zip(old.split("\n"), new.split("\n"), strict=True)
    lines = {first + number for number, (one, two) in enumerate(pairs) if one != two}
    for function in rule.accepted:
        begin, stop = _body(text, function)
        lines |= set(range(text[:begin].count("\n") + 1, text[:stop].count("\n") + 2))
    return frozenset(lines)


def _body(text: str, function: str) -> tuple[int, int]:
    """From the opening brace of a function's definition to its closing one, both in column 0 or,
    the opening one, at the end of a line."""
    found = re.search(rf"\b{function} ?\([^;{{]*\)[^;{{]*\{{", text)
    if not found:
        raise RealError(f"no function {function}")
    return found.end(), text.index("\n}", found.end())


def _autotools(program: str) -> Callable[[Path], Path]:
    """Configures once and makes; afterwards only what the rule changed is built again."""

    def build(tree: Path) -> Path:
        if not (tree / "Makefile").exists():
            _run(["./configure", "-q", "--disable-nls", "CFLAGS=-g -O0"], tree)
            # All but the program itself may fail: manuals need what Debian leaves out as not free.
            subprocess.run(["make", "-s", "-k"], cwd=tree, capture_output=True)
        _run(["make", "-s", program], tree)
        return tree / program

    return build


def _splay(tree: Path) -> Path:
    library = tree / "libiberty"
    if not (library / "Makefile").exists():
        _run(["./configure", "-q", "CFLAGS=-g -O0"], library)
    _run(["make", "-s", "libiberty.a"], library)
    program = tree / "words"
    _run(["gcc", "-g", "-O0", f"-I{library}", f"-I{tree / 'include'}", str(HERE / "words.c"),
          "-o", str(program), str(library / "libiberty.a")], tree)  # fmt: skip
    return program


def _gd(tree: Path) -> Path:
    folder = tree / "build"
    if not (folder / "build.ninja").exists():
        folder.mkdir(exist_ok=True)
        _run(["cmake", "..", "-G", "Ninja", "-DCMAKE_C_FLAGS=-g -O0", "-DBUILD_SHARED_LIBS=ON"],
             folder)  # fmt: skip
    _run(["ninja", "Bin/libgd.so"], folder)
    program = folder / "picture"
    _run(["gcc", "-g", "-O0", f"-I{tree / 'src'}", str(HERE / "picture.c"), "-o", str(program),
          f"-L{folder / 'Bin'}", "-lgd", f"-Wl,-rpath,{folder / 'Bin'}"], tree)  # fmt: skip
    return program


def _run(command: list[str], folder: Path) -> None:
    environment = {**os.environ, "FORCE_UNSAFE_CONFIGURE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
        raise RealError(f"{' '.join(command)} in {folder}: {last}")


REALS = [
    Real(
        "ls", "coreutils", "linked list",
        # The twentieth directory that is queued gets a wild next pointer.
        Rule("src/ls.c", "queue_directory", r"->next = ([^;]+);",
             r"->next = ({ static int seen; ++seen == 20 ? (void *)0x5eed5eed50 : (\1); });"),
        _autotools("src/ls"), lambda program, tree: [str(program), "-R", str(tree)], thesis=4,
    ),
    Real(
        "libiberty", "libiberty", "splay tree",
        # Left rotations where right ones should be.
        Rule("libiberty/splay-tree.c", "splay_tree_splay", r"\brotate_right\b", "rotate_left",
             accepted=("rotate_left",)),
        _splay, lambda program, tree: [str(program)], stdin="libiberty/COPYING.LIB", thesis=1,
        hangs=True,
    ),
    Real(
        "libgd", "libgd2", "two-dimensional array",
        # One row of a new image is lost.
        Rule("src/gd.c", "gdImageCreate", r"return im;",
             "if (sy > 20) im->pixels[20] = NULL; return im;"),
        _gd, lambda program, tree: [str(program), "/dev/null"], thesis=1,
    ),
    Real(
        "bison", "bison", "graph",
        # Nonterminals get numbers far beyond those of all symbols.
        Rule("src/symtab.c", "symbol_check_defined", r"(\bnnterms\+\+);", r"\1 + 100000000;"),
        _autotools("src/bison"),
        lambda program, tree: [str(program), "-o", "/dev/null",
                               str(tree / "examples/c/mfcalc/mfcalc.y")], thesis=3,
    ),
]  # fmt: skip
