# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures for tests of the recorder: the tool is built once per session."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.recorder import recorder


@pytest.fixture(scope="session")
def recorder_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for VALGRIND_LIB; HEAPSTORY_VALGRIND_LIB names one that exists already."""
    if given := os.environ.get("HEAPSTORY_VALGRIND_LIB"):
        return Path(given)
    return recorder.build_library(tmp_path_factory.mktemp("recorder"))


@pytest.fixture
def run(recorder_library: Path, tmp_path: Path) -> Callable[..., recorder.Result]:
    """run("program.c", *arguments, options=..., flags=...) compiles a program and records it."""

    def run(
        source: str,
        *arguments: object,
        options: tuple[str, ...] = (),
        flags: tuple[str, ...] = (),
        traces: int = 1,
        stdin: str = "",
        environment: dict[str, str] | None = None,
    ) -> recorder.Result:
        binary = recorder.compile_program(source, tmp_path, *flags)
        return recorder.record(
            recorder_library,
            [binary, *arguments],
            tmp_path,
            *options,
            traces=traces,
            stdin=stdin,
            environment=environment,
        )

    return run
