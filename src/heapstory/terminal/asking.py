"""What is typed in: a timestamp, or what a node is known by."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from heapstory.reporters.text import printable
from heapstory.viewing.finding_nodes import find_nodes

if TYPE_CHECKING:
    from heapstory.trace import Trace

_MOST_FOUND = 50


class Ask(ModalScreen[int | None]):
    """A line to type in, which escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "leave")]


class AskMoment(Ask):
    """A timestamp."""

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.trace = trace

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(f"go to timestamp, 0 to {self.trace.last:,}")
            yield Input(type="integer")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(int(event.value) if event.value.lstrip("+-").isdigit() else None)


class AskNode(Ask):
    """A node by number, address, type, name or statement."""

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.trace = trace

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label("number, 0xaddress, type, variable, file:line or function")
            yield Input()
            yield OptionList()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        found = find_nodes(self.trace, event.value, _MOST_FOUND)
        hits = self.query_one(OptionList)
        hits.clear_options()
        if not found:
            self.query_one(Label).update("nothing is known by that")
            return
        hits.add_options([Option(self._text(node), str(node)) for node in found])
        hits.highlighted = 0
        hits.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(int(event.option_id or 0))

    def _text(self, number: int) -> Text:
        node = self.trace.node(number)
        born = "" if node.created.timestamp is None else f"born at {node.created.timestamp:,}"
        parts = (node.title, node.type or node.kind, f"{node.address:#x}", born)
        return Text(printable("  ".join(part for part in parts if part)))
