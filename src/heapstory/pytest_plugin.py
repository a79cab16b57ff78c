"""A plugin of pytest: ``pytest --heapstory`` records the native programs that tests start, and the
fixture ``heapstory`` records, locates and checks in a test that is about one.

What a failing test started stays in ``--heapstory-dir``, and its report says what is in the traces;
those of tests that passed are removed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from heapstory.locating.diagnosis import Diagnosis
    from heapstory.recording.requests import Command
    from heapstory.trace import Trace

_FOUND = 99  # an exit status that programs seldom have


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("heapstory", "recording the heap of native programs")
    group.addoption("--heapstory", action="store_true", help="record the programs that tests start")
    group.addoption(
        "--heapstory-dir", default=".heapstory", metavar="DIR", help="where traces are kept"
    )
    parser.addini("heapstory_spec", "a specification that recorded structures must satisfy")


class Heapstory:
    """The fixture: a folder of traces, and what is asked of them. Findings fail the test, and the
    answer is the reason that is shown."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def record(self, command: Command, **options: Any) -> Trace:
        """Runs a program and opens what was recorded; options as of ``heapstory.record``."""
        import heapstory
        from heapstory.recording.requests import words_of

        self.folder.mkdir(parents=True, exist_ok=True)
        words = words_of(command)
        return heapstory.record(words, _fresh(self.folder, words[0]), **options)

    def locate(self, trace: Trace, specification: str | Path, **options: Any) -> Diagnosis:
        """Fails where a structure of the trace breaks a constraint, and shows who broke it, or
        where not everything could be checked."""
        __tracebackhide__ = True
        import heapstory
        from heapstory.reporters.locate import text

        diagnosis = heapstory.locate(trace, specification, **options)
        if diagnosis.bad is not None or diagnosis.is_unknown:
            said = [*text.report(trace, diagnosis), *diagnosis.unmatched]
            pytest.fail("".join(said), pytrace=False)
        return diagnosis

    def check(self, command: Command, *options: str) -> str:
        """Fails where ``heapstory check`` finds memory errors or leaks, and shows them."""
        __tracebackhide__ = True
        from heapstory.recording.requests import words_of

        words = [*_COMMAND, "check", f"--error-exitcode={_FOUND}", *options, "--"]
        done = subprocess.run(
            [*words, *words_of(command)], stderr=subprocess.PIPE, text=True, check=False
        )
        if done.returncode in (_FOUND, 125):
            pytest.fail(done.stderr, pytrace=False)
        return done.stderr


_COMMAND = [sys.executable, "-m", "heapstory"]


@pytest.fixture
def heapstory(request: pytest.FixtureRequest) -> Heapstory:
    """Records programs, locates faults and checks memory."""
    return Heapstory(_folder(request.node))


@pytest.fixture(autouse=True)
def _record_what_is_started(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    if not request.config.getoption("--heapstory"):
        yield
        return
    folder = _folder(request.node)
    plain = subprocess.Popen.__init__

    def recorded(self: Any, args: Any, *rest: Any, **options: Any) -> None:
        words = _words(args, options)
        if words is not None:
            folder.mkdir(parents=True, exist_ok=True)
            trace = str(_fresh(folder, words[0]))
            args = [*_COMMAND, "record", "--follow-children", "-o", trace, "--", *words]
            options["shell"] = False
        plain(self, args, *rest, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", recorded)
    yield


def _words(args: Any, options: dict[str, Any]) -> list[str] | None:
    """The words of a command that can be recorded as it is; None where it cannot."""
    if options.get("executable") or options.get("preexec_fn"):
        return None
    if options.get("shell"):
        return ["/bin/sh", "-c", args] if isinstance(args, str) else None
    words = [args] if isinstance(args, str | Path) else [str(word) for word in args]
    return None if words[:3] == _COMMAND else [str(word) for word in words]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when != "call":
        return report
    folder = _folder(item)
    if report.failed:
        spec = item.config.getini("heapstory_spec")
        for trace in sorted(folder.glob("*.story")):
            report.sections.append((f"heapstory: {trace}", _answer(trace, str(spec or ""))))
    elif folder.is_dir():
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _answer(trace: Path, spec: str) -> str:
    """What is in a trace and, with a specification, what is wrong with it."""
    answer = _ask("info", str(trace))
    return answer + _ask("locate", str(trace), "--spec", spec) if spec else answer


def _ask(*words: str) -> str:
    done = subprocess.run([*_COMMAND, *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _folder(item: pytest.Item) -> Path:
    name = re.sub(r"[^\w.-]+", "_", item.nodeid).strip("_")
    return item.config.rootpath / str(item.config.getoption("--heapstory-dir")) / name


def _fresh(folder: Path, program: str) -> Path:
    """A trace that is not there yet."""
    stem = Path(program).name
    number = sum(1 for _ in folder.glob("*.story"))
    while (folder / f"{stem}-{number}.story").exists():
        number += 1
    return folder / f"{stem}-{number}.story"
