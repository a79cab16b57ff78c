"""Moving through time and space by keys; what is shown is what the graph has."""

from __future__ import annotations

import json
import random

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, OptionList
from textual.widgets.tree import TreeNode

import heapstory as api
from heapstory.terminal.app import StoryApp
from heapstory.terminal.panes import HistoryPane, SourcePane, Timeline
from heapstory.terminal.tree import Item
from heapstory.viewing.findings import from_answer
from tests.conftest import Compile, Heapstory, Record
from tests.support.programs import ROOT, program
from tests.terminal.conftest import show

MOMENTS = 12


def songs(trace: api.Trace) -> list[int]:
    rows = trace.query("SELECT node FROM nodes WHERE type = 'struct song' ORDER BY node")
    return [row[0] for row in rows]


def lines(app: StoryApp) -> list[TreeNode[Item]]:
    """All lines of the tree, folded ones left out."""
    found, todo = [], list(app.graph.root.children)
    while todo:
        line = todo.pop()
        found.append(line)
        todo += line.children
    return found


async def open_all(app: StoryApp, pilot: Pilot[None]) -> None:
    """Everything that can be unfolded is."""
    closed = [line for line in lines(app) if line.allow_expand and not line.is_expanded]
    while closed:
        for line in closed:
            line.expand()
        await pilot.pause()
        closed = [line for line in lines(app) if line.allow_expand and not line.is_expanded]


def test_the_tree_is_the_graph_at_random_moments(playlist: api.Trace) -> None:
    dice = random.Random(3)
    last = playlist.last
    moments = [last, *(dice.randrange(last * 9 // 10, last) for _ in range(MOMENTS))]

    async def use(app: StoryApp, pilot: Pilot[None]) -> None:
        compared = 0
        for moment in moments:
            app.go(moment)
            await open_all(app, pilot)
            graph = playlist.graph(moment, freed=True)
            edges = {(edge.source, edge.offset): edge for edge in graph.edges}
            for line in lines(app):
                item = line.data
                if item is None or item.row is None or graph.node(item.node).type is None:
                    continue
                edge = edges.get((item.node, item.row.offset))
                version = item.row.version(moment)
                assert item.target == (edge.target if edge else None)
                if edge is not None and version is not None:
                    stale = version.state in ("dangling", "aliased")
                    assert stale == (edge.state == "stale")
                    compared += 1
        assert compared > MOMENTS

    show(playlist, use)


def test_keys_go_through_every_change_of_a_field(playlist: api.Trace) -> None:
    first = songs(playlist)[0]
    written = [v.timestamp for v in playlist.history(node=first, field="next") if not v.silent]
    born = playlist.node(first).created.timestamp
    assert born is not None

    async def use(app: StoryApp, pilot: Pilot[None]) -> None:
        app.begin([first])
        app.go(written[0])
        await pilot.pause()
        row = next(n for n in lines(app) if n.data and n.data.row and n.data.row.name == "next")
        app.graph.move_cursor(row)
        seen = [app.moment]
        for _ in written[1:]:
            await pilot.press("n")
            seen.append(app.moment)
        assert seen == written
        await pilot.press("n")
        assert app.moment == written[-1]  # there is no later one
        history = app.query_one(HistoryPane)
        assert history.moments == written
        assert history.cursor_row == len(written) - 1
        await pilot.press("p")
        assert app.moment == written[-2]

    show(playlist, use, node=first)


def test_steps_are_changes_of_what_is_shown(playlist: api.Trace) -> None:
    async def use(app: StoryApp, pilot: Pilot[None]) -> None:
        await pilot.press("end")
        assert app.moment == playlist.last
        before = [str(line.label) for line in lines(app)]
        for _ in range(5):
            at = app.moment
            await pilot.press("left")
            assert app.moment < at
            assert any("●" in str(line.label) for line in lines(app))
        assert [str(line.label) for line in lines(app)] != before
        at = app.moment
        await pilot.press("shift+right")
        assert app.moment == at + 1
        await pilot.press("home")
        assert app.moment == 0

    show(playlist, use)


def test_source_follows_and_leads(playlist: api.Trace) -> None:
    text = (ROOT / "examples" / "playlist.c").read_text().split("\n")
    number = text.index("    song->prev = last;") + 1
    written = [
        version.timestamp
        for node in songs(playlist)
        for version in playlist.history(node=node, field="prev")
        if version.place and version.place.line == number
    ]

    async def use(app: StoryApp, pilot: Pilot[None]) -> None:
        app.go(written[0])
        await pilot.pause()
        assert f":{number}" in str(app.query_one(SourcePane).border_title)
        assert "song->prev = last;" in str(app.query_one(SourcePane).render())
        seen = [app.moment]
        for _ in written[1:]:
            await pilot.press("right_square_bracket")
            seen.append(app.moment)
        assert seen == written
        await pilot.press("left_square_bracket")
        assert app.moment == written[-2]

    show(playlist, use)


def test_two_moments_are_compared(playlist: api.Trace) -> None:
    async def use(app: StoryApp, pilot: Pilot[None]) -> None:
        await pilot.press("c", "home")
        told = [str(line.label) for line in lines(app) if "was" in str(line.label)]
        assert any("first" in label for label in told)
        await pilot.press("c")
        assert not any("was" in str(line.label) for line in lines(app))

    show(playlist, use)


@pytest.mark.parametrize("words", ["struct song", "{node}", "0x{address:x}"])
def test_search(playlist: api.Trace, words: str) -> None:
    third = songs(playlist)[2]
    typed = words.format(node=third, address=playlist.node(third).address + 8)

    async def use(app: StoryApp, pilot: Pilot[None]) -> None:
        await pilot.press("slash")
        app.screen.query_one(Input).value = typed
        await pilot.press("enter")
        hits = app.screen.query_one(OptionList)
        hits.highlighted = hits.get_option_index(str(third))
        await pilot.press("enter")
        await pilot.pause()
        assert app.graph.starts == [third]
        assert any('"Finale"' in str(line.label) for line in lines(app))
        await pilot.press("r")
        assert app.graph.starts == app.head["start"]

    show(playlist, use)


def test_a_timestamp_is_typed_or_clicked(playlist: api.Trace) -> None:
    async def use(app: StoryApp, pilot: Pilot[None]) -> None:
        await pilot.press("g", *"2070", "enter")
        await pilot.pause()
        assert app.moment == 2070
        await pilot.press("g", "escape")
        assert app.moment == 2070
        time = app.query_one(Timeline)
        assert await pilot.click(Timeline, offset=(time.size.width - 1, 1))
        await pilot.pause()
        assert app.moment == playlist.last

    show(playlist, use, size=(80, 24))


def test_a_finding_leads_to_its_moment(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    examples = ROOT / "examples"
    path = record(compile_program((examples / "catalogue.c").read_text()))
    answer = heapstory("locate", path, "--spec", examples / "catalogue.spec", "--json").stdout
    located = json.loads(answer)
    with api.open(path) as trace:

        async def use(app: StoryApp, pilot: Pilot[None]) -> None:
            await pilot.press("b")
            assert app.moment == located["bad"]["ts"]
            await pilot.press("2", "enter")
            await pilot.pause()
            assert app.moment == located["faults"][0]["ts"]
            line = located["faults"][0]["place"]["line"]
            assert f":{line}" in str(app.query_one(SourcePane).border_title)
            await pilot.press("3")
            assert app.query_one("#summary", DataTable).row_count == len(app.head["summary"])

        show(trace, use, findings=from_answer(trace, located, "found.json"))


def test_hostile_text_is_text(compile_program: Compile, record: Record) -> None:
    text = program("viewer/hostile.c").read_text().replace("MARK", "\u202e")
    with api.open(record(compile_program(text), "[bold]\x1b[2J")) as trace:

        async def use(app: StoryApp, pilot: Pilot[None]) -> None:
            await open_all(app, pilot)
            shown = "\n".join(str(line.label) for line in lines(app))
            assert "[bold]\\x1b[2J" in shown
            assert "\x1b" not in app.export_screenshot()
            for moment in range(trace.last, trace.last - 20, -1):
                app.go(moment)
                await pilot.pause()
                assert "\u202e" not in str(app.query_one(SourcePane).render())

        show(trace, use)


def test_a_trace_that_was_cut_off_has_a_banner(
    playlist: api.Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(playlist), "damage", "the program was killed")

    async def use(app: StoryApp, pilot: Pilot[None]) -> None:
        assert "the program was killed" in str(app.query_one("#damage").render())

    show(playlist, use)
