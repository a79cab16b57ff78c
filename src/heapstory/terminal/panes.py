"""What stands around the tree: time, the source of the statement, and the history of a field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.message import Message
from textual.widget import Widget
from textual.widgets import DataTable, Static

from heapstory import _core
from heapstory.reporters.text import count, printable, size

if TYPE_CHECKING:
    from textual.events import Click

    from heapstory.store.places import Place
    from heapstory.terminal.rows import Row
    from heapstory.terminal.story import NodeStory, Version
    from heapstory.trace import Trace

_BARS = " ▁▂▃▄▅▆▇█"
_MARKS = {"crash": "✗", "signal": "S", "exit": "e", "cpoint": "·"}
_CHUNKS = 64  # that the bands may count while a person waits
_MOST_ROWS = 500  # of a history, around the moment
_MOST_LANES = 4


class Timeline(Widget):
    """All of time, a column for each stretch: live bytes, births and deaths, threads, marks."""

    class Chosen(Message):
        """A moment was clicked at."""

        def __init__(self, moment: int) -> None:
            super().__init__()
            self.moment = moment

    def __init__(self, trace: Trace, head: dict[str, Any]) -> None:
        super().__init__(id="time")
        self.trace = trace
        self.head = head
        self.moment = 0
        self.compared: int | None = None
        self._width = 0
        self._lines: list[tuple[str, str]] = []

    def draw(self, moment: int, compared: int | None) -> None:
        self.moment, self.compared = moment, compared
        self.refresh()

    def render(self) -> Text:
        width = max(1, self.size.width - _NAMED)
        if width != self._width:
            self._width = width
            self._lines = self._bands(width)
        cursor = [" "] * width
        if self.compared is not None:
            cursor[self._column(self.compared)] = "c"
        cursor[self._column(self.moment)] = "▲"
        lines = [*self._lines, ("", "".join(cursor))]
        return Text("\n".join(f"{name:<{_NAMED}}{line}" for name, line in lines), no_wrap=True)

    def on_click(self, event: Click) -> None:
        column = min(max(event.x - _NAMED, 0), self._width - 1)
        self.post_message(self.Chosen(round(column * self.trace.last / max(1, self._width - 1))))

    def _column(self, moment: int) -> int:
        return round(moment * (self._width - 1) / max(1, self.trace.last))

    def _bands(self, width: int) -> list[tuple[str, str]]:
        _, tables = _core.bands(self.trace.core, 0, self.trace.last, width, _CHUNKS)
        bands = dict(tables)
        ends = bands["buckets"].column("to")
        live = bands["buckets"].column("live_bytes")
        lines = [(f"live {size(max(live, default=0))}", self._bars(ends, live))]
        for name in ("births", "deaths"):
            lines.append((name, self._bars(ends, bands["buckets"].column(name))))
        lines += self._threads(ends, bands["by_thread"])
        return [*lines, ("marks", self._marks(width))]

    def _bars(self, ends: Sequence[int], values: Sequence[float]) -> str:
        """The largest of each column, as high as the line allows for the largest of all."""
        most = max(values, default=0) or 1
        columns = [0.0] * self._width
        begin = 0
        for end, value in zip(ends, values, strict=True):
            for column in range(self._column(begin), self._column(end) + 1):
                columns[column] = max(columns[column], value)
            begin = end
        top = len(_BARS) - 1
        return "".join(_BARS[-int(-value * top // most)] for value in columns)

    def _threads(self, ends: Sequence[int], table: _core.Table) -> list[tuple[str, str]]:
        """A lane for each, where there are several."""
        threads = self.head["threads"][:_MOST_LANES]
        if len(threads) < 2:
            return []
        lanes = {thread: [0.0] * len(ends) for thread in threads}
        rows = zip(*(table.column(name) for name in ("bucket", "thread", "changes")), strict=True)
        for bucket, thread, changes in rows:
            if thread in lanes:
                lanes[thread][bucket] = changes
        return [(f"thread {thread}", self._bars(ends, lane)) for thread, lane in lanes.items()]

    def _marks(self, width: int) -> str:
        line = [" "] * width
        for mark in self.head["marks"]:
            line[self._column(mark["ts"])] = _MARKS.get(mark["kind"], "|")
        for finding in self.head["findings"]:
            if finding["ts"] is not None:
                line[self._column(finding["ts"])] = "!"
        return "".join(line)


_NAMED = 16  # columns for the name of a band


class SourcePane(Static):
    """The current statement in its file, with a mark at lines that changed something."""

    def __init__(self, trace: Trace, sources: Sequence[str]) -> None:
        super().__init__(id="source")
        self.trace = trace
        self.sources = frozenset(sources)
        self._heat: dict[tuple[str, int], int] | None = None

    def draw(self, moment: int, place: Place | None) -> None:
        """Shows a statement."""
        self.border_title = printable(f"{moment:,} of {self.trace.last:,}: {place or '?'}")
        known = place is not None and place.path in self.sources
        text = self.trace.source(place.path) if known and place and place.path else None
        if place is None or text is None or not place.line:
            said = "no statement is known" if place is None else f"{_where(place)} (no text)"
            self.update(Text(printable(said), "dim"))
            return
        lines = text.split("\n")
        room = max(3, self.size.height)
        first = max(0, min(place.line - 1 - room // 2, len(lines) - room))
        shown = Text(no_wrap=True, overflow="ellipsis")
        for number in range(first + 1, min(first + room, len(lines)) + 1):
            style = "reverse" if number == place.line else ""
            heat = self._changes_of(place.path or "", number)
            shown.append(_heat_mark(heat), "yellow")
            shown.append(f"{number:5} ", "dim")
            shown.append(printable(lines[number - 1].expandtabs(4)) + "\n", style)
        self.update(shown)

    def _changes_of(self, path: str, line: int) -> int:
        if self._heat is None:
            _, tables = _core.bands(self.trace.core, 0, self.trace.last, 1, _CHUNKS)
            table = dict(tables)["statements"]
            self._heat = {}
            columns = (table.column(name) for name in ("site", "changes"))
            for site, changes in zip(*columns, strict=True):
                place = self.trace.place(site) if site is not None else None
                if place is not None and place.path and place.line:
                    key = (place.path, place.line)
                    self._heat[key] = self._heat.get(key, 0) + changes
        return self._heat.get((path, line), 0)


def _heat_mark(changes: int) -> str:
    return _BARS[min(len(_BARS) - 1, len(str(changes)))] if changes else " "


def _where(place: Place) -> str:
    return f"{place.path}:{place.line}" if place.path and place.line else str(place)


class HistoryPane(DataTable[Text]):
    """Every version of the selected field with its statement; enter goes to one."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(id="history", cursor_type="row", zebra_stripes=True)
        self.trace = trace
        self.moments: list[int] = []

    def on_mount(self) -> None:
        for name in ("time", "statement", "value", "by"):
            self.add_column(name)

    def draw(self, node: NodeStory | None, row: Row | None, moment: int) -> None:
        """The versions of a field, or the life of a node."""
        self.clear()
        self.moments = []
        if node is None:
            self.border_title = "history"
            return
        self.border_title = printable(f"history of {row.name if row else node.title}")
        if row is None:
            self._life(node)
            return
        versions = row.words[0].versions
        now = next((i for i, v in enumerate(versions) if v.since > moment), len(versions)) - 1
        first = max(0, min(now - _MOST_ROWS // 2, len(versions) - _MOST_ROWS))
        for version in versions[first : first + _MOST_ROWS]:
            self._add_version(row, version)
        if now >= 0:
            self.move_cursor(row=now - first)

    def _add_version(self, row: Row, version: Version) -> None:
        text = row.version_text(version) or "—"
        kind = "" if version.kind in ("store", "meaning") else f" ({version.kind})"
        if version.silent:
            kind += " (the same again)"
        who = "" if version.thread is None else f"thread {version.thread}"
        self._add(version.since, version.site, text + kind, who)

    def _life(self, node: NodeStory) -> None:
        if node.born is not None:
            self._add(node.born, node.born_site, f"born, {count(node.size, 'byte')}")
        if node.freed is not None:
            self._add(node.freed, node.freed_site, "freed")

    def _add(self, moment: int, site: int | None, text: str, who: str = "") -> None:
        place = self.trace.place(site) if site is not None else None
        cells = (f"{moment:,}", str(place or ""), text, who)
        self.add_row(*(Text(printable(cell)) for cell in cells))
        self.moments.append(moment)
