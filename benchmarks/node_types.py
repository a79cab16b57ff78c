"""How many blocks get their right type, from -O0 to -O3, gcc, clang and rustc.

    python -m benchmarks.node_types                       the programs that come with heapstory
    python -m benchmarks.node_types FOLDER --markdown     every program in FOLDER as well

A program is a folder of sources (*.c, *.cpp or main.rs) that make one executable, which is run
without arguments. Each is built unoptimised first: the source says what its blocks are (see
`support.stated_types`). The k-th block of the unoptimised run is then the k-th of the others, as
far as their sizes go together; so nobody has to know what the compiler made of the code.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import heapstory
from benchmarks.support import page
from benchmarks.support.stated_types import Frame, Stated, base_name
from heapstory.trace import Trace

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "types.md"
LEVELS = ("-O0", "-O1", "-O2", "-O3")
FAMILIES = {"c": ("gcc", "clang"), "cpp": ("g++", "clang++"), "rs": ("rustc",)}
Block = tuple[int, str | None, tuple[Frame, ...]]  # size, type, stack


@dataclass(frozen=True, slots=True)
class Program:
    """A folder of sources in one language."""

    folder: Path
    language: str

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def sources(self) -> list[Path]:
        if self.language == "rs":
            return [self.folder / "main.rs"]
        return sorted(self.folder.glob(f"*.{self.language}"))

    def build(self, compiler: str, level: str, output: Path, *more: str) -> None:
        if compiler == "rustc":
            flags = ["--edition", "2021", "-g", "-A", "warnings", f"-Copt-level={level[-1]}", *more]
        else:
            # Valgrind 3.19 gives up on clang's DWARF 5 where there are several units.
            debug = "-gdwarf-4" if compiler.startswith("clang") else "-g"
            flags = [debug, "-w", level, f"-I{self.folder}", "-lm"]
        subprocess.run([compiler, *map(str, self.sources), *flags, "-o", str(output)], check=True)


def programs(folder: Path) -> Iterator[Program]:
    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
        for language in FAMILIES:
            if any(inner.glob(f"*.{language}")):
                yield Program(inner, language)
                break


def recorded(program: Path, options: argparse.Namespace) -> list[Block]:
    """The blocks of a run, in order of birth."""
    trace = program.with_suffix(".story")
    command = [str(options.heapstory), "record", "--force", "-o", str(trace), "--", str(program)]
    subprocess.run(command, check=True, capture_output=True, cwd=program.parent, timeout=120)
    with heapstory.open(trace) as opened:
        return blocks_of(opened)


def blocks_of(trace: Trace) -> list[Block]:
    nodes = trace.core.graph(trace.last, True).nodes()
    columns = (nodes.column(name) for name in ("id", "kind", "size", "type", "created_stack"))
    found = []
    for node, kind, size, type_id, stack in zip(*columns, strict=True):
        if kind == "heap" and stack:
            frames = tuple(
                Frame(str(p.function), str(p.path or ""), p.line or 0) for p in trace.stack(stack)
            )
            name = trace.types.get(type_id)["name"] if type_id else None
            found.append((node, (size, name, frames)))
    return [block for _, block in sorted(found, key=lambda pair: pair[0])]


def judged(truth: list[tuple[int, str | None]], blocks: list[Block]) -> Iterator[tuple[str, Block]]:
    """The blocks of which the truth is known, each with it."""
    sizes = [size for size, _ in truth], [block[0] for block in blocks]
    for first, second, length in SequenceMatcher(
        None, *sizes, autojunk=False
    ).get_matching_blocks():
        for at in range(length):
            stated = truth[first + at][1]
            if stated is not None and not stated.startswith("type-parameter"):
                yield stated, blocks[second + at]


def outcome(stated: str, named: str | None) -> str:
    if named is None:
        return "none"
    return "right" if base_name(named) == stated else "wrong"


def truth_of(
    program: Program, compiler: str, options: argparse.Namespace
) -> list[tuple[int, str | None]]:
    """Size and type of the blocks of an unoptimised run, as the source states them."""
    output = options.work / f"{program.name}-stated-{compiler}"
    # Only these names of Rust's functions say for which types they were made.
    program.build(compiler, "-O0", output, "-Csymbol-mangling-version=v0")
    parsed = [] if program.language == "rs" else program.sources
    stated = Stated(parsed, ["-w", f"-I{program.folder}"])
    return [(size, stated.of(stack, size)) for size, _, stack in recorded(output, options)]


def measured(
    program: Program, compiler: str, options: argparse.Namespace
) -> dict[str, Counter[str]]:
    """What became of the blocks, by level."""
    truth = truth_of(program, compiler, options)
    found = {}
    for level in LEVELS:
        output = options.work / f"{program.name}{level}-{compiler}"
        program.build(compiler, level, output)
        blocks = recorded(output, options)
        counts: Counter[str] = Counter()
        missed: Counter[tuple[str, str | None, str]] = Counter()
        for right, block in judged(truth, blocks):
            counts[result := outcome(right, block[1])] += 1
            if result != "right":
                top = next((f for f in block[2] if f.path.startswith(str(program.folder))), None)
                where = f"{Path(top.path).name}:{top.line}" if top else "?"
                missed[right, block[1], where] += 1
        found[level] = counts
        if options.misses:
            for (right, named, where), count in missed.most_common(12):
                print(f"  {program.name} {compiler} {level}: {count} {right} are {named} ({where})")
    return found


def share(counts: Counter[str], what: str) -> str:
    total = counts.total()
    return f"{100 * counts[what] / total:.1f}" if total else "–"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Types of blocks, judged by the source.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--only", action="append", help="this program")
    parser.add_argument("--compiler", action="append", help="this compiler")
    parser.add_argument("--misses", action="store_true", help="say which blocks are not right")
    parser.add_argument("--markdown", action="store_true", help=f"write the tables into {PAGE}")
    parser.add_argument(
        "--heapstory", type=Path, default=Path(sys.executable).with_name("heapstory")
    )
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench" / "types")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    folders = [HERE / "programs" / "types", *options.folders]
    all_programs = [program for folder in folders for program in programs(folder)]
    sums: dict[tuple[str, str], Counter[str]] = {}
    rows = []
    for program in all_programs:
        if options.only and program.name not in options.only:
            continue
        for compiler in FAMILIES[program.language]:
            if options.compiler and compiler not in options.compiler:
                continue
            try:
                found = measured(program, compiler, options)
            except subprocess.CalledProcessError as error:
                print(f"{program.name} {compiler}: left out: {error}", file=sys.stderr)
                continue
            for level, counts in found.items():
                sums.setdefault((compiler, level), Counter()).update(counts)
            cells = [f"{share(c, 'right')} ({share(c, 'wrong')})" for c in found.values()]
            rows.append([program.name, compiler, str(found["-O0"].total()), *cells])
            print(" ".join(rows[-1]), flush=True)
    for (compiler, level), counts in sums.items():
        shares = (share(counts, what) for what in ("right", "wrong", "none"))
        print(compiler, level, counts.total(), *shares)
    overall: Counter[str] = sum(sums.values(), Counter())
    print("all", overall.total(), *(share(overall, what) for what in ("right", "wrong", "none")))
    if options.markdown:
        put(rows, sums)
    return 0


def put(rows: list[list[str]], sums: dict[tuple[str, str], Counter[str]]) -> None:
    by_level = [
        [
            compiler,
            level,
            f"{counts.total():,}",
            *(share(counts, w) for w in ("right", "wrong", "none")),
        ]
        for (compiler, level), counts in sums.items()
    ]
    head = ["compiler", "level", "blocks", "right %", "wrong %", "none %"]
    page.put(PAGE, "figures of node_types.py", page.table(head, by_level))
    head = ["program", "compiler", "blocks", *(f"{level}: right % (wrong %)" for level in LEVELS)]
    page.put(PAGE, "programs of node_types.py", page.table(head, rows))


if __name__ == "__main__":
    sys.exit(main())
