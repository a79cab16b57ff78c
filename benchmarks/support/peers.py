"""The four ways a program is run: native, Valgrind's null tool, Memcheck, and heapstory."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.programs.catalog import Program
from benchmarks.support.measure import Run, RunError, run

PEERS: dict[str, list[str]] = {
    "native": [],
    "none": ["valgrind", "-q", "--tool=none"],
    "memcheck": ["valgrind", "-q", "--tool=memcheck", "--leak-check=no"],
}


@dataclass(frozen=True)
class Recording:
    """One recording and the first look at its graph."""

    record: Run
    graph: Run
    collector_cpu: float
    collector_peak_kib: int
    tool_cpu: float  # all but the collector: the launcher is counted as the tool's
    recorder_cpu: float | None  # what the recorder says of itself, to cross-check

    @property
    def wall(self) -> float:
        return self.record.wall + self.graph.wall


class Heapstory:
    """The installed command, and the traces it makes below one folder."""

    def __init__(self, command: Path, folder: Path) -> None:
        self.command = command
        self.folder = folder

    @classmethod
    def find(cls, given: Path | None, repository: Path, folder: Path) -> "Heapstory | None":
        on_path = shutil.which("heapstory")
        choices = [given] if given else [repository / ".venv/bin/heapstory"]
        choices += [Path(on_path)] if on_path and not given else []
        found = next((choice for choice in choices if choice.exists()), None)
        if given and not found:
            raise RunError(f"{given}: no such command")
        return cls(found, folder) if found else None

    def trace_of(self, program: Program) -> Path:
        return self.folder / f"{program.name}.story"

    def record(
        self,
        program: Program,
        work: Path,
        query: bool = True,
        options: Sequence[str] = (),
        limit: float | None = None,
    ) -> Recording:
        """``limit``: seconds after which it is stopped, with a TimeoutError."""
        trace = self.trace_of(program)
        if trace.exists():
            shutil.rmtree(trace)
        trace.parent.mkdir(parents=True, exist_ok=True)
        command = [str(self.command), "record", *options, "-o", str(trace), "--", *program.command]
        recorded = _run(program, command, work, limit)
        graph = [str(self.command), "graph", str(trace), "--format", "json", "-o", "/dev/null"]
        looked = run(graph, work / "graph") if query else Run(0.0, 0.0, 0, "")
        collector, recorder = self._shares(trace)
        cpu = float(collector["cpu_seconds"])
        own = recorder.get("cpu_seconds")
        return Recording(
            recorded, looked, cpu, int(collector["peak_rss_kib"]), recorded.cpu - cpu, own
        )

    def facts(self, trace: Path, limit: float | None = None) -> dict[str, float]:
        """What support/facts.py reads from a trace, with heapstory's own interpreter."""
        python = self.command.parent / "python"
        script = Path(__file__).with_name("facts.py")
        try:
            said = subprocess.run(
                [str(python) if python.exists() else sys.executable, str(script), str(trace)],
                capture_output=True,
                text=True,
                check=False,
                timeout=limit,
            )
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(f"facts of {trace} took more than {limit:.0f} s") from error
        if said.returncode:
            raise RunError(f"facts of {trace}: {said.stderr.strip().splitlines()[-1]}")
        answer: dict[str, float] = json.loads(said.stdout)
        return answer

    def _shares(self, trace: Path) -> tuple[dict[str, float], dict[str, float]]:
        meta = json.loads((trace / "meta.json").read_text())
        if "collector" not in meta:
            raise RunError(f"{trace}/meta.json says nothing of the collector's CPU and memory")
        return meta["collector"], meta.get("recorder") or {}


def run_peer(program: Program, peer: str, work: Path) -> Run:
    return _run(program, [*PEERS[peer], *program.command], work)


def _run(program: Program, command: list[str], work: Path, limit: float | None = None) -> Run:
    if program.scratch:
        program.scratch.unlink(missing_ok=True)
    return run(command, work, program.environment, program.stdin, program.statuses, limit)
