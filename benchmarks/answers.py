"""The same answers as before? Collects what every command says of a fixed set of inputs.

For changes that must not change what a user sees:

    python -m benchmarks.answers make FOLDER            # inputs and traces, once, before the change
    python -m benchmarks.answers collect FOLDER before  # every answer, with the installed command
    python -m benchmarks.answers collect FOLDER after   # again, after the change
    python -m benchmarks.answers compare FOLDER before after

Inputs are copied into FOLDER, so that they stay when the repository moves its own. `collect` asks
the traces of `make`, and records the same programs again (answers `recorded/...`), so that both
halves are compared: what is asked of a trace, and what is recorded. An answer is the exit status,
stdout, stderr and the files a command wrote; times are blanked. `--only WORD` limits a collection
to the answers whose name contains WORD; only what both collections hold is compared.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.locating.faults.mutant import Mutant

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
COMMAND = Path(sys.executable).with_name("heapstory")
SALT = 77
OPERATORS = ("dropped write", "NULL", "wild pointer", "swapped fields")

# Programs, the arguments they are run with, and how they are recorded.
RUNS: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("playlist", (), ()),
    ("catalogue", (), ()),
    ("figure1", (), ()),
    ("figure9", (), ()),
    ("events", (), ()),
    ("ranges", (), ()),
    ("crash", ("abort",), ()),
    ("crash", ("_exit",), ()),
    ("sorted_list", ("3", "40"), ()),
    ("locate_avl", (), ()),
    ("locate_early_free", (), ()),
    ("locate_owner", (), ()),
    ("locate_quad", (), ()),
    ("locate_recursion", (), ()),
    ("locate_ring", (), ()),
    ("locate_wild", (), ()),
    ("library_bplus_tree", (), ()),
    ("library_ring_buffer", (), ()),
    ("library_skip_list", (), ()),
    ("library_trie", (), ()),
    ("wire_sections", (), ()),
    ("wire_overflow", (), ()),
    ("wire_move", (), ()),
    ("wire_stores", (), ()),
    ("throwing", (), ()),
    ("figure1", (), ("--mode", "portable")),
    ("playlist", (), ("--mode", "portable")),
    ("ranges", (), ("--mode", "portable")),
    ("portable_nodes", (), ("--mode", "portable")),
    ("portable_borders", (), ("--mode", "portable")),
    ("portable_allocators", ("bump",), ("--mode", "portable")),
    ("portable_allocators", ("slab",), ("--mode", "portable")),
    ("portable_attacks", ("struct",), ("--mode", "portable")),
    ("figure1", (), ("--mode", "internals")),
    ("playlist", (), ("--mode", "internals")),
    ("internals_figure7", (), ("--mode", "internals")),
    ("internals_steps", (), ("--mode", "internals")),
]
# The rooms that a program's name is followed to: by its first word, or as it stands.
ROOMS = {
    "wire": ("recorder",),
    "portable": ("discovery",),
    "internals": ("discovery",),
    "locate": ("locate",),
}
PLAIN = ("trace", "recording", "infer", "locate")
SHIPPED = {
    "library_bplus_tree": "bplus_tree",
    "library_ring_buffer": "ring_buffer",
    "library_skip_list": "skip_list",
    "library_trie": "trie",
}
TABLES = ("nodes", "edges", "events", "sites", "frees", "cpoints")

BLANKED = [
    (re.compile(r'("(?:seconds|milliseconds|wall|cpu)": )[-+.e0-9]+'), r"\1…"),
    (re.compile(r"(?<![\w.#])\d+(?:\.\d+)?(?:e-?\d+)? ?(?:ms|s|seconds?|CPU s)(?!\w)"), "… s"),
    (re.compile(r'("(?:bytes|pid|version)": )"?[\w.]+"?'), r"\1…"),
    (re.compile(r"[\d,.]+ (?:[KMG]i?B|bytes) on disk"), "… on disk"),
    (re.compile(r"==\d+=="), "==…=="),
]


@dataclass(frozen=True)
class Question:
    """One command; `{out}` in its words is a file that it writes and that is part of the answer."""

    name: str
    words: tuple[str, ...]
    folder: Path


def make(folder: Path) -> None:
    """Copies and builds the inputs, and records the traces that later collections ask."""
    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    for name in {name for name, _, _ in RUNS}:
        for file in _sources(name):
            shutil.copy(file, inputs / f"{name}{file.suffix}")
    shutil.copy(ROOT / "tests" / "recorder" / "programs" / "truth.h", inputs)
    for header in (ROOT / "src" / "heapstory" / "include").glob("*.h"):
        shutil.copy(header, inputs)
    shutil.copytree(ROOT / "examples" / "linear", inputs / "linear")
    shutil.copytree(ROOT / "tests" / "locate" / "structures", inputs / "structures")
    shutil.copytree(ROOT / "tests" / "static" / "programs", inputs / "static")
    shutil.copytree(ROOT / "tests" / "static" / "twins", inputs / "twins")
    for name in sorted({name for name, _, _ in RUNS}):
        cpp = (inputs / f"{name}.cpp").exists()
        source = f"{name}.cpp" if cpp else f"{name}.c"
        compiler = "g++" if cpp else "gcc"
        command = [
            compiler,
            "-g",
            "-O0",
            "-w",
            "-DFAULT=1",
            "-I.",
            "-o",
            name,
            source,
            "-ldl",
            "-lpthread",
        ]
        subprocess.run(command, cwd=inputs, check=True)
    _make_mutants(inputs)
    record_all(folder, folder / "traces")


def _sources(name: str) -> list[Path]:
    """The files of a program: an example, or one of a room of the tests."""
    prefix, _, rest = name.partition("_")
    folders = [ROOT / "tests" / room / "programs" for room in ROOMS.get(prefix, PLAIN)]
    stem = rest if prefix in ROOMS else name
    files = (file for folder in (*folders, ROOT / "examples") for file in folder.glob(f"{stem}.*"))
    return [file for file in files if file.suffix in (".c", ".cpp", ".spec")]


def _make_mutants(inputs: Path) -> None:
    """Two broken and one correct run of each structure, drawn at random once."""
    from tests.locating.faults.mutant import NAMES, Program, draw

    for name in NAMES:
        program = Program(name, inputs / "mutants" / name, "200")
        lines = [f"{program.build((), [])}\t\t5 200"]
        for operator in OPERATORS:
            one = next(draw(program, operator, SALT), None)
            if one and len(lines) < 3 and _ends(one):
                times = ",".join(map(str, one.at))
                lines.append(f"{one.binary()}\t{times}\t{' '.join(one.arguments)}")
        (inputs / "mutants" / f"{name}.runs").write_text("\n".join(lines) + "\n")


def _ends(mutant: Mutant) -> bool:
    command = [mutant.binary(), *mutant.arguments]
    try:
        subprocess.run(command, env=mutant.environment, capture_output=True, timeout=2)
    except subprocess.TimeoutExpired:
        return False
    return True


def recordings(inputs: Path) -> Iterator[tuple[str, list[str], dict[str, str], list[str]]]:
    """Every run: its trace's name, the command, what is set in its environment, options."""
    for name, arguments, options in RUNS:
        mode = options[1] if options else "alloc"
        yield "-".join((name, *arguments, mode)), [str(inputs / name), *arguments], {}, [*options]
    for file in sorted((inputs / "mutants").glob("*.runs")):
        for number, line in enumerate(file.read_text().splitlines()):
            binary, at, arguments = line.split("\t")
            setting = {"FAULT_AT": at} if at else {}
            yield f"{file.stem}-run{number}-alloc", [binary, *arguments.split()], setting, []


def record_all(folder: Path, traces: Path) -> None:
    traces.mkdir(parents=True, exist_ok=True)

    def one(run: tuple[str, list[str], dict[str, str], list[str]]) -> None:
        name, command, setting, options = run
        words = [str(COMMAND), "record", "--force", "-o", str(traces / f"{name}.story")]
        done = subprocess.run(
            [*words, *options, "--", *command],
            cwd=folder / "inputs", env={**os.environ, **setting}, timeout=120,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        )  # fmt: skip
        text = f"exit {done.returncode}\n--- stdout\n{done.stdout}--- stderr\n{done.stderr}"
        (traces / f"{name}.said").write_text(text)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, recordings(folder / "inputs")))


def questions(folder: Path, traces: Path, prefix: str) -> Iterator[Question]:
    """What is asked of every trace."""
    inputs = folder / "inputs"
    for trace in sorted(traces.glob("*.story")):
        name = trace.stem.split("-")[0]

        def ask(what: str, *words: str, trace: Path = trace) -> Question:
            return Question(f"{prefix}/{trace.stem}/{what}", words, traces)

        path = trace.name
        yield ask("info", "info", path)
        yield ask("info.json", "info", path, "--json")
        yield ask("graph", "graph", path, "--limit", "300")
        yield ask("graph.json", "graph", path, "--json", "--freed", "--data")
        for table in TABLES:
            order = "ORDER BY ALL LIMIT 5000"
            yield ask(f"sql-{table}", "query", path, f"SELECT * FROM {table} {order}")
        specs = [inputs / f"{name}.spec", inputs / "structures" / f"{name}.spec"]
        spec = next((str(one) for one in specs if one.exists()), SHIPPED.get(name))
        if spec:
            yield ask("locate", "locate", path, "--spec", spec)
            yield ask("locate.json", "locate", path, "--spec", spec, "--json", "--sarif", "{out}")
            yield ask("locate-end", "locate", path, "--spec", spec, "--cpoint", "end", "--json")
        if prefix == "recorded" or "run" in trace.stem:
            continue
        yield ask("graph.dot", "graph", path, "--format", "dot")
        yield ask("evolution", "graph", path, "--evolution", "--format", "dot", "--limit", "100")
        yield ask("history", "history", path, "--node", "5")
        yield ask("history.json", "history", path, "--node", "3", "--json")
        yield ask("suspicious", "info", path, "--suspicious")
        yield ask("infer", "infer", path)
        if spec:
            yield ask("locate.html", "locate", path, "--spec", spec, "-o", "{out}.html")


def source_questions(folder: Path) -> Iterator[Question]:
    """Leaks and prove, which need no trace."""
    inputs = folder / "inputs"
    static = sorted(str(one) for one in (inputs / "static").glob("*.c"))
    twins = sorted(str(one) for one in (inputs / "twins").glob("*.c"))
    singles = [one for one in twins if ".part." not in one and "files_" not in one]
    for source in static + singles[::3]:
        yield Question(f"leaks/{Path(source).stem}", ("leaks", "--force", source), inputs)
    everything = ("leaks", "--force", "--json", "--sarif", "{out}", *static)
    yield Question("leaks/static.json", everything, inputs)
    yield Question("leaks/twins.json", ("leaks", "--force", "--json", *singles), inputs)
    files = [one for one in twins if "files_" in one]
    yield Question("leaks/files.json", ("leaks", "--force", "--json", *files[:2]), inputs)
    structures = sorted(str(one) for one in (inputs / "structures").glob("*.c"))
    yield Question("leaks/structures.json", ("leaks", "--force", "--json", *structures), inputs)
    for spec in sorted((inputs / "linear").glob("*.lin")):
        words = ("prove", "--timeout", "60", "--bound", "3", "--bounded", str(spec))
        yield Question(f"prove/{spec.stem}", words, inputs)
        yield Question(f"prove/{spec.stem}.json", (*words, "--json", "--sarif", "{out}"), inputs)
    for name in ("pair_snapshot", "treiber_stack", "ms_queue", "ms_two_lock_queue"):
        spec = inputs / "linear" / f"{name}.lin"
        words = ("prove", "--timeout", "120", "--bound", "3", "--json", str(spec))
        yield Question(f"prove/{name}.proof", words, inputs)
    for source in sorted((inputs / "linear" / "c").glob("*.c")):
        words = ("prove", "--timeout", "120", "--bound", "3", "--bounded", "--c", str(source))
        yield Question(f"prove/c-{source.stem}", words, inputs)
        yield Question(f"prove/c-{source.stem}.spec", (*words, "--show-spec"), inputs)


def answer(question: Question, folder: Path) -> str:
    out = folder / "written" / question.name.replace("/", "+")
    out.parent.mkdir(parents=True, exist_ok=True)
    words = [word.replace("{out}", str(out)) for word in question.words]
    environment = {**os.environ, "NO_COLOR": "1", "HEAPSTORY_DEBUG": "0"}
    try:
        done = subprocess.run(
            [COMMAND, *words], cwd=question.folder, env=environment, capture_output=True,
            stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=300,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "no answer in 300 s\n"
    text = f"exit {done.returncode}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}\n"
    for file in sorted(out.parent.glob(f"{out.name}*")):
        if file.name in (out.name, f"{out.name}.html"):
            text += f"--- file\n{file.read_text(errors='replace')}\n"
            file.unlink()
    return text


def blanked(text: str, folders: list[Path]) -> str:
    for folder in folders:
        text = text.replace(str(folder), "FOLDER")
    for pattern, by in BLANKED:
        text = pattern.sub(by, text)
    return text


def collect(folder: Path, name: str, only: str, jobs: int) -> None:
    answers = folder / "answers" / name
    fresh = folder / "fresh" / name
    asked = [*questions(folder, folder / "traces", "asked"), *source_questions(folder)]
    if only in "recorded":
        record_all(folder, fresh)
        asked += questions(folder, fresh, "recorded")
    asked = [one for one in asked if only in one.name]

    def one(question: Question) -> None:
        text = blanked(answer(question, folder / "work" / name),
                       [folder / "traces", fresh, folder / "work" / name])  # fmt: skip
        file = answers / question.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, asked))
    for said in fresh.glob("*.said") if only in "recorded" else ():
        text = blanked(said.read_text(), [fresh])
        (answers / "recorded" / f"{said.stem}.said").write_text(text)
    print(f"{len(asked)} answers in {answers}")


def spread(text: str) -> list[str]:
    """The lines of an answer, with its JSON one member a line: layout is no difference."""
    lines: list[str] = []
    for part in re.split(r"(?m)^(--- (?:stdout|stderr|file)\n)", text):
        try:
            data = json.loads(part.replace('": …', '": "…"'), object_hook=_timeless)
        except ValueError:
            lines += part.splitlines()
        else:
            lines += json.dumps(data, indent=1, ensure_ascii=False).splitlines()
    return lines


def _timeless(members: dict[str, Any]) -> dict[str, Any]:
    return members | {"timing": "…"} if "timing" in members else members


def differences(one: list[str], other: list[str]) -> Iterator[str]:
    """Their unlike lines, line by line.

    A shortest difference, as difflib's, takes minutes where an answer has very many lines.
    """
    for before, after in zip_longest(one, other):
        if before != after:
            yield from (f"-{before}",) if before is not None else ()
            yield from (f"+{after}",) if after is not None else ()


def compare(folder: Path, one: str, other: str, lines: int) -> int:
    """Shows where two collections differ; 1 if they do."""
    first, second = folder / "answers" / one, folder / "answers" / other
    names = sorted(str(file.relative_to(first)) for file in first.rglob("*") if file.is_file())
    both = [name for name in names if (second / name).exists()]
    different = 0
    for name in both:
        texts = [spread((side / name).read_text()) for side in (first, second)]
        if texts[0] == texts[1]:
            continue
        different += 1
        print(f"== {name}")
        for line in islice(differences(*texts), lines):
            print(f"   {line[:200]}")
    print(f"{different} of {len(both)} answers differ ({len(names) - len(both)} not asked again)")
    return 1 if different or not both else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Are the answers of every command as before?")
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, names in (("make", 0), ("collect", 1), ("compare", 2)):
        sub = verbs.add_parser(verb)
        sub.add_argument("folder", type=Path)
        for number in range(names):
            sub.add_argument(f"name{number}")
        if verb == "collect":
            sub.add_argument("--only", default="", help="only answers with this in their name")
            sub.add_argument("--jobs", type=int, default=2)
        if verb == "compare":
            sub.add_argument("--lines", type=int, default=12, help="of each difference")
    args = parser.parse_args()
    folder = args.folder.resolve()
    if args.verb == "make":
        make(folder)
    elif args.verb == "collect":
        collect(folder, args.name0, args.only, args.jobs)
    else:
        return compare(folder, args.name0, args.name1, args.lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
