"""Recorded programs, their pages, and a browser to open them in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Compile, Heapstory
from tests.viewer.opened import PATIENCE_MILLISECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# What keeps a browser in a closed network, and root, quiet.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Recorded = Callable[..., Path]
View = Callable[..., Path]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=FLAGS, timeout=PATIENCE_MILLISECONDS
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def recorded(
    tmp_path_factory: pytest.TempPathFactory, compile_program: Compile, heapstory: Heapstory
) -> Recorded:
    """``recorded("viewer/avl", "--mode", "internals")``: the trace of a program, made once."""
    traces: dict[tuple[str, ...], Path] = {}

    def record(
        source: str,
        *options: str,
        arguments: tuple[str, ...] = (),
        flags: tuple[str, ...] = (),
        status: int = 0,
    ) -> Path:
        key = (source, *options, *arguments)
        if key not in traces:
            program = compile_program(source, "-O0", *flags)
            trace = tmp_path_factory.mktemp("traces") / f"{program.name}.story"
            done = heapstory("record", "-o", trace, *options, "--", program, *arguments)
            assert done.returncode == status, done.stderr
            traces[key] = trace
        return traces[key]

    return record


@pytest.fixture(scope="session")
def view(tmp_path_factory: pytest.TempPathFactory, heapstory: Heapstory) -> View:
    """The page of a trace, on disk."""

    def write(trace: Path, *options: str | Path) -> Path:
        page = tmp_path_factory.mktemp("pages") / f"{trace.stem}.html"
        done = heapstory("view", trace, "-o", page, *options)
        assert done.returncode == 0, done.stderr
        return page

    return write
