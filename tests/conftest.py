"""What tests of every kind share: compiling small programs and recording them."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.recorder import recorder
from tests.support.fake_trace import freed_trace, open_fake, trace
from tests.support.programs import program as program_source
from tests.support.schemas import check_answer

__all__ = ["freed_trace", "open_fake", "trace"]  # fixtures

# A shell that starts the tests in the background lets them ignore the first two, nohup the third,
# and so would all programs that the tests run and interrupt.
for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)

COMMAND = Path(sys.executable).with_name("heapstory")

Compile = Callable[..., Path]
Heapstory = Callable[..., "subprocess.CompletedProcess[str]"]
Record = Callable[..., Path]


@pytest.fixture(scope="session")
def compile_program(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """``compile_program("trace/list", "-O2")``: tests/trace/programs/list.c built with -O2.

    C text in place of a name is a program of its own. Each is built once.
    """
    folder = tmp_path_factory.mktemp("programs")

    def compiled(source: str, *flags: str, compiler: str = "gcc") -> Path:
        text = source if "\n" in source else program_source(f"{source}.c").read_text()
        name = "program" if "\n" in source else Path(source).name
        key = hashlib.sha256(repr((text, flags, compiler)).encode()).hexdigest()[:12]
        home = folder / key
        program = home / name
        if not program.exists():
            home.mkdir(exist_ok=True)
            (home / f"{name}.c").write_text(text)
            options = flags or ("-O0",)
            subprocess.run(
                [compiler, "-g", *options, "-o", program, f"{name}.c"], cwd=home, check=True
            )
        return program

    return compiled


@pytest.fixture(scope="session")
def heapstory() -> Heapstory:
    """Runs the installed command; output is captured as text, and JSON checked by its schema."""

    def run(*words: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "HEAPSTORY_DEBUG": "0", **options.pop("env", {})}
        settings: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 280}
        command = [str(COMMAND), *map(str, words)]
        done = subprocess.run(command, env=environment, **(settings | options))
        if isinstance(done.stdout, str) and done.stdout.startswith('{"schema": '):
            check_answer(done.stdout)
        return done

    return run


@pytest.fixture
def record(tmp_path: Path, heapstory: Heapstory) -> Record:
    """Records a program into a fresh trace and returns its path; the program must succeed."""

    def recorded(
        program: str | Path, *arguments: str, options: tuple[str, ...] = (), status: int = 0
    ) -> Path:
        trace = tmp_path / f"{Path(program).name}.story"
        done = heapstory("record", "--force", "-o", trace, *options, "--", program, *arguments)
        assert done.returncode == status, done.stderr
        return trace

    return recorded


@pytest.fixture(scope="session")
def recorder_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for VALGRIND_LIB; HEAPSTORY_VALGRIND_LIB names one that exists already."""
    if given := os.environ.get("HEAPSTORY_VALGRIND_LIB"):
        return Path(given)
    return recorder.build_library(tmp_path_factory.mktemp("recorder"))
