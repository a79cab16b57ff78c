"""One run of a batch: recorded, asked, and its answers written down."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heapstory.errors import HeapstoryError
from heapstory.recording.folder import prepare
from heapstory.whole_file import whole_file

TOOL = [sys.executable, "-m", "heapstory"]


@dataclass(frozen=True, slots=True)
class Job:
    """A command, where its trace and answers go, and what is asked."""

    number: int
    command: tuple[str, ...]
    folder: str
    questions: tuple[str, ...]
    options: tuple[str, ...]  # of record

    @property
    def trace(self) -> Path:
        return Path(self.folder) / f"{self.number:05d}.story"

    @property
    def answers(self) -> Path:
        return Path(self.folder) / f"{self.number:05d}.json"

    def asked(self) -> dict[str, Any]:
        """What makes it the same job."""
        return {
            "command": list(self.command),
            "questions": list(self.questions),
            "options": list(self.options),
        }

    def done(self) -> dict[str, Any] | None:
        """The answers of an earlier batch, if it was the same job and came to its end."""
        try:
            known = json.loads(self.answers.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        same = all(known.get(name) == value for name, value in self.asked().items())
        return known if same else None


def run(job: Job) -> dict[str, Any]:
    """Records and asks; the answers are written when all are there, so that none is half known."""
    began = time.time()
    _clear(job.trace)
    recorded = _tool("record", "--force", "-o", str(job.trace), *job.options, "--", *job.command)
    answers = [_ask(job, question) for question in job.questions]
    result = {
        **job.asked(),
        "number": job.number,
        "trace": str(job.trace),
        "status": recorded.returncode,
        "said": _last_line(recorded.stderr),
        "seconds": round(time.time() - began, 3),
        "answers": answers,
    }
    with whole_file(job.answers) as file:
        file.write(json.dumps(result).encode())
    return result


def _ask(job: Job, question: str) -> dict[str, Any]:
    verb, *words = shlex.split(question)
    done = _tool(verb, str(job.trace), *words, "--json")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = None
    return {
        "question": question,
        "status": done.returncode,
        "answer": answer,
        "said": _last_line(done.stderr),
    }


def _clear(trace: Path) -> None:
    """Removes the trace of an earlier run: a command that cannot be run must not be answered with
    it."""
    try:
        prepare(trace, force=True)
        trace.rmdir()
    except HeapstoryError:
        pass  # record says why


def _tool(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TOOL, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def _last_line(text: str) -> str | None:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("heapstory: ") if lines else None
