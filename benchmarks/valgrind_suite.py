#!/usr/bin/env python3
"""Valgrind's own test programs, recorded in every mode: what differs from a plain run, and why.

    python3 -m benchmarks.valgrind_suite                 the tables on stdout
    python3 -m benchmarks.valgrind_suite --markdown      and into docs/evaluation/truth.md
    python3 -m benchmarks.valgrind_suite --only malloc   programs whose name contains this
    python3 -m benchmarks.valgrind_suite --minutes 30    as many as fit, in random order
    python3 -m benchmarks.valgrind_suite --work DIR      go on where an earlier run ended

The programs come from Debian's source package of the installed Valgrind (memcheck/tests and
none/tests with their folders for this machine), fetched into DIR or a temporary folder; they are
built with gcc as far as they build without Valgrind's own build. A program runs plainly, under
Valgrind's tool that does nothing, and under the recorder in each mode; its status and what it
prints on stdout are compared. Numbers that depend on where memory lies are not. What tool none
changes as well is Valgrind's doing, not ours.
"""

import argparse
import contextlib
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock

from benchmarks.support import page
from benchmarks.support.measure import machine, revision

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "truth.md"
HEAPSTORY = Path(sys.executable).with_name("heapstory")
MODES = ("alloc", "portable", "internals", "full")
FOLDERS = ("", "amd64", "linux", "amd64-linux")
SECONDS = 60
TIMED_OUT = -1
_BUILD = ("-g", "-O0", "-w", "-pthread", "-DVGA_amd64=1", "-DVGO_linux=1", "-DVGP_amd64_linux=1")
_INCLUDES = (".", "include", "memcheck", "coregrind", "VEX/pub", "helgrind", "drd")
_MOVING = re.compile(rb"0x[0-9a-fA-F]+|\b[0-9a-f]{8,16}\b|\b\d{6,}\b")  # addresses, times, pids


@dataclass(frozen=True)
class Program:
    """One test program, with the arguments that Valgrind's own suite gives it."""

    path: Path
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """How a run ended, and what it printed."""

    status: int
    output: bytes

    @property
    def fixed(self) -> bytes:
        return _MOVING.sub(b"N", self.output)


@dataclass
class Outcome:
    """What became of a source: in which way each mode differs, None where it does not."""

    name: str
    builds: bool
    differs: dict[str, str | None] = field(default_factory=dict)


class Kept:
    """The outcomes so far, in a file that a later run goes on with."""

    def __init__(self, file: Path) -> None:
        self.file = file
        lines = file.read_text().splitlines() if file.exists() else []
        self.outcomes = {one.name: one for one in (Outcome(**json.loads(line)) for line in lines)}
        self._lock = Lock()

    def add(self, outcome: Outcome) -> None:
        with self._lock, self.file.open("a") as lines:
            self.outcomes[outcome.name] = outcome
            print(json.dumps(asdict(outcome)), file=lines)


# ---- fetching and building ----


def fetch_source(package: str, folder: Path) -> Path:
    """The unpacked source of a package as Debian has it."""
    lists, parts = folder / "lists" / "partial", folder / "parts"
    lists.mkdir(parents=True, exist_ok=True)
    parts.mkdir(exist_ok=True)
    for source in Path("/etc/apt/sources.list.d").glob("*.sources"):
        text = re.sub(r"^Types: deb$", "Types: deb-src", source.read_text(), flags=re.M)
        (parts / source.name).write_text(text)
    apt = ["apt-get", "-o", "Dir::Etc::SourceList=/dev/null"]
    apt += ["-o", f"Dir::Etc::SourceParts={parts}", "-o", f"Dir::State::Lists={lists.parent}"]
    for words in (["update"], ["source", "--download-only", package]):
        subprocess.run([*apt, *words], cwd=folder, check=True, capture_output=True)
    (archive,) = folder.glob(f"{package}_*.orig.tar.*")
    source = folder / package
    source.mkdir()
    subprocess.run(["tar", "-xf", archive, "--strip-components=1"], cwd=source, check=True)
    return source


def arguments_of(source: Path) -> tuple[str, ...]:
    """Those of its first description that names it as the program."""
    for described in sorted(source.parent.glob("*.vgtest")):
        text = described.read_text(errors="replace")
        program = re.search(r"^prog:\s*(?:\./)?(\S+)", text, re.M)
        if program and program[1] == source.stem:
            given = re.search(r"^args:\s*(.*)$", text, re.M)
            return tuple(given[1].split()) if given else ()
    return ()


def build(source: Path, root: Path, target: Path) -> Program | None:
    """None where it does not build by itself."""
    (root / "config.h").touch()
    compiler = "g++" if source.suffix == ".cpp" else "gcc"
    includes = [f"-I{root / name}" for name in _INCLUDES]
    words = [compiler, *_BUILD, *includes, "-o", target, source, "-ldl", "-lm", "-lrt"]
    done = subprocess.run(words, cwd=source.parent, capture_output=True)
    if done.returncode != 0:
        return None
    return Program(target, arguments_of(source))


def name_of(source: Path, root: Path) -> str:
    return str(source.with_suffix("").relative_to(root))


def sources(root: Path) -> list[Path]:
    folders = [root / tool / "tests" / sub for tool in ("memcheck", "none") for sub in FOLDERS]
    return sorted(file for folder in folders for ending in ("*.c", "*.cpp")
                  for file in folder.glob(ending))  # fmt: skip


# ---- running ----


def run(words: Sequence[object], program: Program) -> Run:
    """In the program's folder, without input, as a shell sees its end."""
    command = [*map(str, words), str(program.path), *program.arguments]
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            command,
            cwd=program.path.parent,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            code = TIMED_OUT
        with contextlib.suppress(ProcessLookupError):  # and whatever it left behind
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        out.seek(0)
        return Run(128 - code if code < TIMED_OUT else code, out.read(1 << 20))


def facts_of(trace: Path) -> dict[str, object] | None:
    """What info says, None where it fails."""
    done = subprocess.run([HEAPSTORY, "info", "--json", trace], capture_output=True, timeout=300)
    return json.loads(done.stdout) if done.returncode in (0, 4) else None


def difference(plain: Run, other: Run, varies: bool) -> str | None:
    if other.status == TIMED_OUT:
        return f"took longer than {SECONDS} s" if plain.status != TIMED_OUT else None
    if other.status != plain.status:
        return f"status {other.status} instead of {plain.status}"
    return None if varies or other.fixed == plain.fixed else "prints something else"


def why(found: str, engine: str | None, info: dict[str, object] | None, plain: Run) -> str:
    """The reason for a difference, as far as it can be told from the runs."""
    if found == engine or (engine and found.split()[0] == engine.split()[0]):
        return f"{found}: so does Valgrind's tool none"
    if info and info.get("bad_frees") and plain.status in (134, 139):
        return "goes on after a bad free, which ends it plainly (--abort-on-bad-free)"
    return found


def recorded(
    program: Program, mode: str, plain: Run, engine: str | None, varies: bool
) -> str | None:
    """What is different when the program is recorded in this mode, in words, or None."""
    with tempfile.TemporaryDirectory() as desk:
        trace = Path(desk) / "t.story"
        done = run([HEAPSTORY, "record", "--mode", mode, "-o", trace, "--"], program)
        info = facts_of(trace) if done.status not in (125, TIMED_OUT) else None
    found = difference(plain, done, varies)
    if done.status == 125:
        return "the recorder failed"
    if found:
        return why(found, engine, info, plain)
    if done.status == TIMED_OUT:
        return None
    if info is None:
        return "info fails"
    return None if info["complete"] or plain.status == 137 else f"incomplete: {info['damage']}"


def judge(source: Path, root: Path) -> Outcome:
    name = name_of(source, root)
    program = build(source, root, source.with_suffix(""))
    if program is None:
        return Outcome(name, builds=False)
    plain, again = run([], program), run([], program)
    varies = plain.fixed != again.fixed or plain.status != again.status
    outcome = Outcome(name, builds=True)
    none = run(["valgrind", "--tool=none", "-q", "--log-file=/dev/null"], program)
    engine = difference(plain, none, varies)
    for mode in MODES:
        outcome.differs[mode] = recorded(program, mode, plain, engine, varies)
    print(name, outcome.differs, file=sys.stderr, flush=True)
    return outcome


# ---- the tables ----


def counted(outcomes: list[Outcome]) -> str:
    rows = []
    for mode in MODES:
        reasons = Counter(_kind(one.differs[mode]) for one in outcomes)
        total = len(outcomes)
        same = reasons.pop("same", 0)
        rest = ", ".join(f"{kind}: {count}" for kind, count in reasons.most_common())
        rows.append([mode, f"{total}", f"{same}", rest])
    return page.table(["mode", "programs", "as without a recorder", "others"], rows)


def _kind(difference: str | None) -> str:
    if difference is None:
        return "same"
    if "tool none" in difference:
        return "Valgrind itself"
    return re.sub(r"\d+", "N", difference.split(":")[0])


def listed(outcomes: list[Outcome]) -> str:
    """Every difference that is not Valgrind's own."""
    rows = []
    for one in outcomes:
        ours = {m: d for m, d in one.differs.items() if d and _kind(d) != "Valgrind itself"}
        for words in dict.fromkeys(ours.values()):
            modes = ", ".join(mode for mode in ours if ours[mode] == words)
            rows.append([f"`{one.name}`", modes, words])
    return page.table(["program", "mode", "what differs"], rows)


def measured(root: Path, kept: Kept, only: str, minutes: float) -> str:
    wanted = [source for source in sources(root) if only in name_of(source, root)]
    random.Random(1).shuffle(wanted)
    deadline = time.monotonic() + 60 * minutes

    def work(source: Path) -> None:
        if name_of(source, root) not in kept.outcomes and time.monotonic() < deadline:
            kept.add(judge(source, root))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, wanted))
    names = sorted({name_of(source, root) for source in wanted} & kept.outcomes.keys())
    outcomes = [kept.outcomes[name] for name in names if kept.outcomes[name].builds]
    head = f"Taken at {revision(REPOSITORY)} on: {machine()}. Of {len(names)} sources"
    if len(names) < len(wanted):
        head = f"{head} (a random choice of {len(wanted)})"
    head = f"{head} {len(outcomes)} build by themselves."
    return f"{head}\n\n{counted(outcomes)}\n\n{listed(outcomes)}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Valgrind's test programs under the recorder.")
    parser.add_argument("--only", default="", metavar="WORD", help="programs so named")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="N", help="stop then")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep sources and outcomes there")
    parser.add_argument("--markdown", action="store_true", help=f"write the tables into {PAGE}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as desk:
        folder = options.work or Path(desk)
        root = folder / "valgrind"
        if not root.exists():
            fetch_source("valgrind", folder)
        kept = Kept(folder / "outcomes.jsonl")
        text = measured(root, kept, options.only, options.minutes)
    if options.markdown:
        page.put(PAGE, "figures of valgrind_suite.py", text)
    print(text)


if __name__ == "__main__":
    main()
