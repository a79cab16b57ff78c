"""Programs of the examples, recorded once, and a terminal to show them in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from textual.pilot import Pilot

import heapstory as api
from heapstory.terminal.app import StoryApp
from heapstory.viewing.head import Opening, make_head
from tests.conftest import Compile, Heapstory
from tests.support.programs import ROOT

Shown = Callable[[StoryApp, Pilot[None]], Awaitable[None]]


@pytest.fixture(scope="session")
def playlist(
    tmp_path_factory: pytest.TempPathFactory, compile_program: Compile, heapstory: Heapstory
) -> Iterator[api.Trace]:
    """The list of examples/playlist.c, one of whose pointers is left dangling."""
    program = compile_program((ROOT / "examples" / "playlist.c").read_text())
    path = tmp_path_factory.mktemp("terminal") / "playlist.story"
    done = heapstory("record", "-o", path, "--", program)
    assert done.returncode == 0, done.stderr
    with api.open(path) as trace:
        yield trace


def show(
    trace: api.Trace,
    use: Shown,
    size: tuple[int, int] = (120, 40),
    **opening: Any,
) -> None:
    """Opens the trace in a terminal of some size and hands it over."""

    async def run() -> None:
        app = StoryApp(trace, make_head(trace, Opening(**opening), serve=True))
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await use(app, pilot)

    asyncio.run(run())
