"""Static leak analysis of a program, and runs of it that confirm what was found."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from heapstory.cfront import builds, capture
from heapstory.checks.baseline import Baseline, read_baseline
from heapstory.confirm import Execution, confirm
from heapstory.errors import UsageError
from heapstory.folders import cache_folder
from heapstory.static import (
    Finding,
    Options,
    ProgramResult,
    Sources,
    analyse,
    collect_findings,
    load_models,
)
from heapstory.static.findings.findings import label, suppress

CONFIDENCES = ("low", "medium", "high")
ONE_OF_THEM = "give files, -p FILE or -- BUILD COMMAND, only one of them"

StrPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Leaks:
    """The findings in one program; ``result`` says what was looked at and what was not."""

    findings: list[Finding]
    result: ProgramResult
    sources: Sources
    hidden: int  # findings less certain than asked for
    build_status: int  # of the build that was watched
    started: float

    @property
    def seconds(self) -> float:
        """Since the analysis began."""
        return round(time.monotonic() - self.started, 3)

    @property
    def open(self) -> list[Finding]:
        """The findings that nobody accepted; a run without a leak does not accept one."""
        return [f for f in self.findings if f.suppressed is None]

    @property
    def complete(self) -> bool:
        """Whether all of the program was seen."""
        return not self.result.skipped and not self.build_status

    def confirm(self, execution: Execution) -> None:
        """Runs the program under the recorder and labels each finding by what it did."""
        if self.findings:
            label(self.findings, confirm(self.findings, execution, self.result.pointers))


def leaks(
    *paths: StrPath,
    database: StrPath | None = None,
    build: Sequence[str] | None = None,
    compiler_options: Sequence[str] = (),
    misuses: bool = False,
    min_confidence: str = "medium",
    models: Sequence[StrPath] = (),
    baseline: StrPath | None = None,
    suppressed: Sequence[str] = (),
    jobs: int = 0,
    engine: str = "local",
    scheduler: str | None = None,
    cache: bool = True,
    summaries: bool = True,
    states_of: str | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Leaks:
    """The leaks of a C program: of some files, a compilation database, or what a build compiles.

    The keywords are the options of ``heapstory leaks``: `compiler_options` are ``-I``, ``-D``
    and ``-U`` for plain files, `misuses` is ``--all`` (double frees, uses after free), `suppressed`
    are fingerprints, `states_of` is a function whose abstract states are wanted in
    ``result.shown``. `progress` is told what is being done.
    """
    started = time.monotonic()
    if min_confidence not in CONFIDENCES:
        raise UsageError(f"{min_confidence}: a confidence is one of {', '.join(CONFIDENCES)}")
    options = Options(
        load_models([Path(path) for path in models]),
        jobs,
        engine,
        scheduler,
        str(cache_folder()) if cache and summaries else None,
        summaries,
        progress,
        states_of,
    )
    accepted = read_baseline(Path(baseline)) if baseline is not None else Baseline()
    captured = _captured(paths, database, build, compiler_options)
    if not captured.jobs:
        raise UsageError("there is no C file to analyse")
    options.complete = not captured.unseen
    result = analyse(captured.jobs, options)
    result.skipped[:0] = captured.unseen
    sources = Sources()
    findings = collect_findings(result.results, misuses, sources)
    least = CONFIDENCES.index(min_confidence)
    certain = [f for f in findings if CONFIDENCES.index(f.confidence) >= least]
    suppress(certain, set(suppressed), accepted)
    hidden = len(findings) - len(certain)
    return Leaks(certain, result, sources, hidden, captured.status, started)


def _captured(
    paths: Sequence[StrPath],
    database: StrPath | None,
    build: Sequence[str] | None,
    compiler_options: Sequence[str],
) -> capture.Captured:
    """What is to be looked at."""
    if (build is not None) + bool(database) + bool(paths) > 1:
        raise UsageError(ONE_OF_THEM)
    if compiler_options and not paths:
        raise UsageError("-I, -D and -U belong to plain files; a build says its own")
    if build is not None:
        if not build:
            raise UsageError("there is no build command after --")
        return builds.from_build(list(build))
    if database:
        return capture.from_database(Path(database))
    if not paths:
        raise UsageError("nothing to analyse: give C files, -p compile_commands.json or -- make")
    return capture.from_paths([os.fspath(path) for path in paths], tuple(compiler_options))
