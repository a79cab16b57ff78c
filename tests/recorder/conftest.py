# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs compiled and recorded with the test's own collector."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.recorder import recorder


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
