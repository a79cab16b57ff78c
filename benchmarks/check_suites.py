#!/usr/bin/env python3
"""Test programs of Valgrind and of the sanitizers under ``check``, beside Memcheck.

    python3 -m benchmarks.check_suites memcheck          Valgrind's memcheck/tests
    python3 -m benchmarks.check_suites msan              compiler-rt's test/msan (asan, lsan, too)
    python3 -m benchmarks.check_suites msan --only cmp   programs whose name contains this
    python3 -m benchmarks.check_suites msan --source DIR an unpacked source package

The sources are Debian's, fetched into a temporary folder (LLVM's are 130 MB). Programs are built
with gcc at -O0, as far as they build by themselves; where they call a sanitizer, requests to
Valgrind stand in for it. Errors are compared by kind and line, leaks by the number of blocks. A
sanitizer's test says itself whether it expects an error.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.support import beside_memcheck
from benchmarks.valgrind_suite import FOLDERS, arguments_of, build, fetch_source

SANITIZERS = ("msan", "asan", "lsan")
_INTERFACE = Path(__file__).parent / "support" / "sanitizer_interface.c"
_RUN = re.compile(r"RUN:(.*)")
_STARTS = re.compile(
    r"(?P<expects>not(?: --crash)? )?(?:env \S+ )*%run %t\b(?P<arguments>[^|&>\n]*)"
)


@dataclass(frozen=True)
class Case:
    """A program as it is to be built and run."""

    name: str
    source: Path
    arguments: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    expects: bool | None = None  # an error, as far as the test itself says


@dataclass(frozen=True)
class Judged:
    case: Case
    differs: list[str]  # from Memcheck
    found: bool  # whether check found any error or leak


# ---- what there is ----


def of_valgrind(root: Path) -> Iterator[Case]:
    tests = root / "memcheck" / "tests"
    for folder in (tests / name for name in FOLDERS):
        for source in sorted([*folder.glob("*.c"), *folder.glob("*.cpp")]):
            yield Case(str(source.relative_to(tests)), source, arguments_of(source))


def of_sanitizer(root: Path, name: str) -> Iterator[Case]:
    """A case for each way in which a test runs its program that an unoptimised build knows."""
    tests = root / "compiler-rt" / "test" / name
    for source in sorted([*tests.rglob("*.c"), *tests.rglob("*.cpp"), *tests.rglob("*.cc")]):
        cases = dict.fromkeys(_runs(source, str(source.relative_to(tests))))
        yield from cases


def _runs(source: Path, name: str) -> Iterator[Case]:
    text = source.read_text(errors="replace").replace("\\\n", "")
    defines: tuple[str, ...] = ()
    for line in _RUN.findall(text):
        if "%clang" in line:
            defines = tuple(re.findall(r"-D\S+", line))
        started = _STARTS.search(line)
        if started:
            arguments = re.sub(r"\b2$", "", started["arguments"]).split()
            yield Case(name, source, tuple(arguments), defines, bool(started["expects"]))


# ---- building and running ----


def built(case: Case, root: Path, desk: Path) -> Path | None:
    """The program, None where it does not build by itself."""
    target = desk / "program"
    if case.expects is None:
        program = build(case.source, root, target)
        return program.path if program else None
    compiler = "gcc" if case.source.suffix == ".c" else "g++"
    words: list[str | Path] = [compiler, "-g", "-O0", "-fno-builtin", "-w", "-pthread"]
    words += case.defines
    words += ["-I", root / "compiler-rt" / "include", "-I", root / "compiler-rt" / "test"]
    interface = desk / "interface.o"
    made = subprocess.run(["gcc", "-c", "-O2", "-o", interface, _INTERFACE], capture_output=True)
    made.check_returncode()
    words += [case.source, interface, "-o", target, "-ldl", "-lrt", "-lm"]
    done = subprocess.run(words, cwd=case.source.parent, capture_output=True)
    return target if done.returncode == 0 else None


def judge(case: Case, root: Path) -> Judged | None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Path(folder)
        program = built(case, root, desk)
        if program is None:
            return None
        command = [program, *case.arguments]
        theirs = beside_memcheck.memcheck(command, case.source, desk)
        ours = beside_memcheck.check(command, case.source, desk)
        differs = beside_memcheck.differences(theirs, ours)
    found = bool(ours.errors) or any(ours.leaks.values())
    judged = Judged(case, differs, found)
    print(_row(judged), file=sys.stderr, flush=True)
    return judged


# ---- the answer ----


def _row(judged: Judged) -> str:
    case = judged.case
    words = [case.name, *case.defines, *case.arguments]
    if case.expects is not None and case.expects != judged.found:
        words.append(f"[expects {'an error' if case.expects else 'none'}]")
    return f"{' '.join(words)}: {'; '.join(judged.differs) or 'alike'}"


def answer(judged: list[Judged | None]) -> str:
    known = [one for one in judged if one is not None]
    lines = [f"{len(judged)} cases, {len(known)} build"]
    alike = sum(not one.differs for one in known)
    lines.append(f"as Memcheck: {alike}")
    said = Counter(one.case.expects == one.found for one in known if one.case.expects is not None)
    if said:
        lines.append(f"as the test expects: {said[True]}, not: {said[False]}")
    unlike = [one for one in known if one.differs or one.case.expects not in (None, one.found)]
    return "\n".join([*lines, *map(_row, unlike)])


def main() -> None:
    parser = argparse.ArgumentParser(description="Test programs of other tools under check.")
    parser.add_argument("suite", choices=["memcheck", *SANITIZERS])
    parser.add_argument("--only", default="", metavar="WORD", help="programs so named")
    parser.add_argument("--source", type=Path, metavar="DIR", help="the unpacked source package")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as desk:
        package = "valgrind" if options.suite == "memcheck" else "llvm-toolchain-14"
        root = (options.source or fetch_source(package, Path(desk))).resolve()
        cases = of_valgrind(root) if package == "valgrind" else of_sanitizer(root, options.suite)
        wanted = [case for case in cases if options.only in case.name]
        with ThreadPoolExecutor(2) as pool:
            print(answer(list(pool.map(lambda case: judge(case, root), wanted))))


if __name__ == "__main__":
    main()
