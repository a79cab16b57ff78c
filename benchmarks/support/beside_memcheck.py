"""What Memcheck and ``check`` say about the same program: errors by kind and line, and leaks."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from xml.etree import ElementTree

from heapstory.reporters.check.xml import BY_SYSTEM_CALL, KINDS

HEAPSTORY = Path(sys.executable).with_name("heapstory")
SECONDS = 60
_LOST = {"Leak_DefinitelyLost": "definite", "Leak_PossiblyLost": "possible"}
_OURS = {"definite": ("leak",), "possible": ("possible-leak", "possible-indirect-leak")}


@dataclass
class Said:
    """Errors as (Memcheck's kind, line in the program's own source or 0), blocks by leak."""

    errors: set[tuple[str, int]] = field(default_factory=set)
    leaks: dict[str, int] = field(default_factory=lambda: {"definite": 0, "possible": 0})
    failed: str = ""  # why there is no answer


def memcheck(command: Sequence[object], source: Path, desk: Path) -> Said:
    report = desk / "memcheck.%p.xml"
    options = ["--xml=yes", f"--xml-file={report}", "--partial-loads-ok=no", "--leak-check=full"]
    process, late = _run(["valgrind", *options, *command], source.parent)
    said = Said(failed="takes too long" if late else "")
    try:
        for _, element in ElementTree.iterparse(desk / f"memcheck.{process}.xml"):
            if element.tag == "error":
                _add(said, element, source.name)
            elif element.tag == "status" and element.findtext("state") == "FINISHED":
                said.leaks = dict.fromkeys(said.leaks, 0)  # of looks while it ran
    except ElementTree.ParseError:
        pass  # a process that was killed leaves the document open: what stands in it counts
    except OSError as error:
        said.failed = said.failed or f"its XML cannot be read: {error}"
    return said


def _add(said: Said, error: ElementTree.Element, source: str) -> None:
    kind = error.findtext("kind") or ""
    stack = error.find("stack")
    frames = [] if stack is None else list(stack.iter("frame"))
    if kind in _LOST:
        by = PurePath(frames[1].findtext("obj") or "").name if len(frames) > 1 else ""
        if not by.startswith("ld-linux"):  # what the dynamic linker allocates is no finding of ours
            said.leaks[_LOST[kind]] += int(error.findtext("xwhat/leakedblocks") or 0)
        return
    lines = [int(f.findtext("line") or 0) for f in frames if f.findtext("file") == source]
    said.errors.add((kind, lines[0] if lines else 0))


def check(command: Sequence[object], source: Path, desk: Path, *options: str) -> Said:
    report = desk / "check.json"
    words = [HEAPSTORY, "check", *options, "--json", report, "--", *command]
    _, late = _run(words, source.parent)
    if late:
        return Said(failed="takes too long")
    if not report.exists():
        return Said(failed="no answer")
    answer = json.loads(report.read_text())
    said = Said()
    for error in answer["errors"]:
        lines = [at["line"] for at in error["stack"] if at and at["file"] == source.name]
        kind = f"{error['kind']}-{error['use']}" if error["use"] else error["kind"]
        known = BY_SYSTEM_CALL if error["by_system_call"] else KINDS[kind]
        said.errors.add((known, lines[0] if lines else 0))
    open_leaks = [leak for leak in answer["leaks"] if leak["suppressed"] is None]
    for key, names in _OURS.items():
        said.leaks[key] = sum(leak["blocks"] for leak in open_leaks if leak["kind"] in names)
    return said


def differences(theirs: Said, ours: Said) -> list[str]:
    """In words, none where they say the same."""
    both = {"Memcheck": theirs, "check": ours}
    if theirs.failed or ours.failed:
        return [f"{who}: {said.failed}" for who, said in both.items() if said.failed]
    words = []
    alone = {"Memcheck": theirs.errors - ours.errors, "check": ours.errors - theirs.errors}
    for who, errors in alone.items():
        named = ", ".join(f"{kind} {line}" for kind, line in sorted(errors))
        words += [f"only {who}: {named}"] if named else []
    for kind, blocks in theirs.leaks.items():
        if blocks != ours.leaks[kind]:
            words.append(f"blocks {kind}: {blocks}, check {ours.leaks[kind]}")
    return words


def _run(words: Sequence[object], folder: Path) -> tuple[int, bool]:
    """The process, and whether it had to be ended."""
    process = subprocess.Popen(
        [str(word) for word in words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(SECONDS)
        return process.pid, False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return process.pid, True
