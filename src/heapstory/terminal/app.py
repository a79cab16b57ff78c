"""The terminal's window onto a trace: its panes, its keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widgets import DataTable, Footer, HelpPanel, Static, TabbedContent, TabPane, Tree

from heapstory.reporters.text import count, printable, size
from heapstory.terminal.asking import AskMoment, AskNode
from heapstory.terminal.panes import HistoryPane, SourcePane, Timeline
from heapstory.terminal.story import Story
from heapstory.terminal.tree import GraphTree, Item
from heapstory.viewing.describing import same_statement

if TYPE_CHECKING:
    from heapstory.trace import Trace


class StoryApp(App[None]):
    """One trace; ``head`` is what a page knows of it at first (``viewing.head``)."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "step(1)", "next change", priority=True),
        Binding("left", "step(-1)", "previous change", priority=True),
        Binding("shift+right", "move(1)", "next timestamp", show=False, priority=True),
        Binding("shift+left", "move(-1)", "previous timestamp", show=False, priority=True),
        Binding("home", "go(0)", "the beginning", show=False, priority=True),
        Binding("end", "go(-1)", "the end", show=False, priority=True),
        Binding("n", "step_selected(1)", "next of this field"),
        Binding("p", "step_selected(-1)", "previous of this field", show=False),
        Binding("right_square_bracket", "step_line(1)", "next by this line"),
        Binding("left_square_bracket", "step_line(-1)", "previous by this line", show=False),
        Binding("b", "first_bad", "first bad C-point", show=False),
        Binding("g", "ask_moment", "go to a timestamp", show=False),
        Binding("c", "compare", "compare"),
        Binding("o", "focus_node", "begin with this node", show=False),
        Binding("r", "roots", "begin with the variables", show=False),
        Binding("slash", "search", "search"),
        Binding("1", "panel('history')", "history", show=False),
        Binding("2", "panel('findings')", "findings", show=False),
        Binding("3", "panel('summary')", "summary by type and site", show=False),
        Binding("question_mark", "help", "keys"),
        Binding("q", "quit", "quit"),
    ]
    moment: reactive[int] = reactive(0, init=False)

    def __init__(self, trace: Trace, head: dict[str, Any]) -> None:
        super().__init__()
        self.trace, self.head = trace, head
        self.story = Story(trace)
        self.compared: int | None = None
        self.title = printable(head["trace"])
        self.set_reactive(StoryApp.moment, head["at"])

    def compose(self) -> ComposeResult:
        program = " ".join(map(str, self.head["program"]))
        yield Static(Text(printable(f"{self.title}   {program}")), id="title")
        if self.head["damage"]:
            said = f"incomplete: {self.head['damage']}; what could be read is shown"
            yield Static(Text(printable(said)), id="damage")
        with Horizontal(id="upper"):
            yield GraphTree(self.story, self.head["start"])
            with Vertical(id="beside"):
                yield SourcePane(self.trace, self.head["sources"])
                with TabbedContent(id="panels"):
                    with TabPane("history", id="panel-history"):
                        yield HistoryPane(self.trace)
                    with TabPane(f"findings {len(self.head['findings'])}", id="panel-findings"):
                        yield DataTable[Text](id="findings", cursor_type="row")
                    with TabPane("summary", id="panel-summary"):
                        yield DataTable[Text](id="summary", cursor_type="row")
        yield Timeline(self.trace, self.head)
        yield Footer()

    def on_mount(self) -> None:
        self._fill_findings()
        self._fill_summary()
        self.graph.begin(self.head["start"])
        self.graph.focus()
        self.call_after_refresh(self.draw)

    @property
    def graph(self) -> GraphTree:
        return self.query_one(GraphTree)

    def watch_moment(self) -> None:
        self.draw()

    def draw(self) -> None:
        """Everything as of the moment."""
        self.graph.draw(self.moment, self.compared)
        self.query_one(Timeline).draw(self.moment, self.compared)
        site = self.story.site_at(self.moment)
        place = self.trace.place(site) if site is not None else None
        self.query_one(SourcePane).draw(self.moment, place)
        self._draw_history()

    def go(self, moment: int | None) -> None:
        """To a moment of the trace; None: there is none to go to."""
        if moment is None:
            self.notify("there is no such change")
        else:
            self.moment = min(max(moment, 0), self.trace.last)

    def begin(self, starts: Sequence[int]) -> None:
        """Shows what some nodes lead to."""
        self.graph.begin(starts)
        self.draw()
        self.graph.focus()

    def action_go(self, moment: int) -> None:
        self.go(self.trace.last if moment < 0 else moment)

    def action_move(self, by: int) -> None:
        self.go(self.moment + by)

    def action_step(self, step: int) -> None:
        self.go(self.story.next_change(self.graph.shown, self.moment, step))

    def action_step_selected(self, step: int) -> None:
        item = self._item
        if item is None:
            self.notify("select a field first")
            return
        offset = item.row.offset if item.row else None
        self.go(self.story.next_change([item.node], self.moment, step, offset))

    def action_step_line(self, step: int) -> None:
        site = self.story.site_at(self.moment)
        if site is None:
            self.notify("no statement is known here")
            return
        self.go(self.story.next_by(same_statement(self.trace, site), self.moment, step))

    def action_first_bad(self) -> None:
        bad = [one["cpoint"] for one in self.head["findings"] if one["cpoint"] is not None]
        if bad:
            self.go(min(bad))
        else:
            self.notify("no bad C-point is known (open with --spec)")

    def action_compare(self) -> None:
        self.compared = self.moment if self.compared is None else None
        self.draw()

    def action_focus_node(self) -> None:
        if self._item is not None:
            self.begin([self._item.target or self._item.node])

    def action_roots(self) -> None:
        self.begin(self.head["start"])

    def action_ask_moment(self) -> None:
        self.push_screen(AskMoment(self.trace), self._go_asked)

    def action_search(self) -> None:
        self.push_screen(AskNode(self.trace), self._begin_asked)

    def action_panel(self, name: str) -> None:
        self.query_one(TabbedContent).active = f"panel-{name}"
        self.query_one(f"#{name}").focus()

    def action_help(self) -> None:
        if self.screen.query(HelpPanel):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Item]) -> None:
        self._draw_history()

    def on_timeline_chosen(self, event: Timeline.Chosen) -> None:
        self.go(event.moment)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        table = event.data_table
        if isinstance(table, HistoryPane):
            self.go(table.moments[event.cursor_row])
        elif table.id == "findings":
            self._follow(self.head["findings"][event.cursor_row])
        else:
            self._begin_with(self.head["summary"][event.cursor_row])

    @property
    def _item(self) -> Item | None:
        return self.graph.cursor_node.data if self.graph.cursor_node else None

    def _draw_history(self) -> None:
        item = self._item
        node = None
        if item is not None:
            node = self.story.nodes([item.node], self.moment).get(item.node)
        self.query_one(HistoryPane).draw(node, item.row if item else None, self.moment)

    def _follow(self, finding: dict[str, Any]) -> None:
        if finding["ts"] is not None:
            self.go(finding["ts"])
        if finding["node"] is not None:
            self.begin([finding["node"]])

    def _begin_with(self, group: dict[str, Any]) -> None:
        from heapstory.viewing.finding_nodes import nodes_of

        self.begin(
            nodes_of(self.trace, self.moment, self.moment, None, group["type"], group["site"])
        )

    def _go_asked(self, moment: int | None) -> None:
        if moment is not None:
            self.go(moment)

    def _begin_asked(self, node: int | None) -> None:
        if node is not None:
            self.begin([node])

    def _fill_findings(self) -> None:
        table = self.query_one("#findings", DataTable)
        for name in ("time", "finding", "says"):
            table.add_column(name)
        for one in self.head["findings"]:
            moment = "" if one["ts"] is None else f"{one['ts']:,}"
            said = one["text"].replace("\n", "; ")
            table.add_row(*(Text(printable(cell)) for cell in (moment, one["title"], said)))

    def _fill_summary(self) -> None:
        table = self.query_one("#summary", DataTable)
        for name in ("type", "allocated at", "nodes", "bytes"):
            table.add_column(name)
        for one in self.head["summary"]:
            place = self.trace.place(one["site"]) if one["site"] is not None else None
            cells = (
                one["type"] or "?",
                str(place or "?"),
                count(one["nodes"], "node"),
                size(one["bytes"]),
            )
            table.add_row(*(Text(printable(cell)) for cell in cells))
