"""The graph as a tree: each node below the field that leads to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Tree

from heapstory.reporters.text import count, printable
from heapstory.terminal.rows import POINTING, Row, rows_of

if TYPE_CHECKING:
    from textual.widgets.tree import TreeNode

    from heapstory.terminal.story import NodeStory, Story

Path = tuple[int, ...]  # where to begin, then offsets of fields: the same way at every moment

_ROWS = 50  # of a node, until more are asked for
_STYLES = {
    "dangling": "bold red",
    "aliased": "bold red",
    "stale": "bold red",
    "wild": "bold red",
    "null": "dim",
}


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the tree: a node to begin with, a field, or what is folded."""

    path: Path
    node: int  # whose field it is
    row: Row | None = None
    target: int | None = None
    folded: bool = False


class GraphTree(Tree[Item]):
    """Follows time: the same ways stay open, whatever they lead to at another moment."""

    def __init__(self, story: Story, starts: Sequence[int]) -> None:
        super().__init__("variables", id="graph")
        self.show_root = False
        self.story = story
        self.starts = list(starts)
        self.moment = 0
        self.compared: int | None = None
        self._opened: set[Path] = set()
        self._rows: dict[Path, int] = {}  # how many are shown, where more were asked for

    def begin(self, starts: Sequence[int]) -> None:
        """Shows what some nodes lead to, the first one opened."""
        self.starts = list(starts)
        self._rows.clear()
        self._opened = {(start,) for start in self.starts[:1]}

    def draw(self, moment: int, compared: int | None = None) -> None:
        """As of a moment; with ``compared``, what was otherwise at that one is told."""
        self.moment, self.compared = moment, compared
        selected = self.cursor_node.data.path if self.cursor_node and self.cursor_node.data else ()
        with self.app.batch_update():
            self.clear()
            for start in self.starts:
                self._add_start(start)
            self._select(selected)

    @property
    def shown(self) -> list[int]:
        """The nodes whose fields can be seen."""
        found: dict[int, None] = {}
        todo = list(self.root.children)
        while todo:
            line = todo.pop()
            todo += line.children
            if line.data is not None and line.data.row is not None:
                found[line.data.node] = None
        return sorted(found)

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Item]) -> None:
        item = event.node.data
        if item is not None and item.path not in self._opened:
            self._opened.add(item.path)
            self._add_rows(event.node, item)

    def on_tree_node_collapsed(self, event: Tree.NodeCollapsed[Item]) -> None:
        if event.node.data is not None:
            self._opened.discard(event.node.data.path)
            event.node.remove_children()

    def on_tree_node_selected(self, event: Tree.NodeSelected[Item]) -> None:
        item = event.node.data
        if item is not None and item.folded:
            self._rows[item.path] = self._rows.get(item.path, _ROWS) * 10
            self.draw(self.moment, self.compared)

    def _select(self, path: Path) -> None:
        """The line of a path, or the nearest above it."""
        last = self.last_line  # makes the tree number its lines
        best, length = self.root.children[0] if self.root.children else None, 0
        todo = list(self.root.children) if last >= 0 else []
        while todo:
            line = todo.pop()
            todo += line.children
            known = line.data.path if line.data else ()
            if path[: len(known)] == known and len(known) > length:
                best, length = line, len(known)
        if best is not None:
            self.move_cursor(best)

    def _add_start(self, start: int) -> None:
        node = self.story.nodes([start], self.moment).get(start)
        if node is None:
            return
        rows = rows_of(self.story.trace.types, node)
        path = (start,)
        if len(rows) == 1 and node.kind != "heap":  # a variable and its one field are one line
            self._add_row(self.root, node, rows[0], path, node.title)
            return
        line = self.root.add(
            self._node_text(node), Item(path, start, None, start), expand=path in self._opened
        )
        if path in self._opened:
            self._add_rows(line, Item(path, start, None, start))

    def _add_rows(self, line: TreeNode[Item], item: Item) -> None:
        if item.target is None:
            return
        node = self.story.nodes([item.target], self.moment).get(item.target)
        if node is None:
            return
        rows = [row for row in rows_of(self.story.trace.types, node) if self._is_shown(node, row)]
        most = self._rows.get(item.path, _ROWS)
        for row in rows[:most]:
            self._add_row(line, node, row, (*item.path, row.offset), row.name)
        if len(rows) > most:
            more = Item(item.path, node.id, folded=True)
            line.add_leaf(Text(f"{len(rows) - most:,} more", "italic"), more)
        if not rows:
            line.add_leaf(Text("nothing written yet", "dim"), Item(item.path, node.id))

    def _add_row(
        self, line: TreeNode[Item], node: NodeStory, row: Row, path: Path, name: str
    ) -> None:
        version = row.version(self.moment)
        target = version.target if version and version.state in POINTING else None
        item = Item(path, node.id, row, target)
        label = self._row_text(node, row, name)
        if target is None or self._is_above(line, target):
            if target is not None:
                label.append("  ↑ above", "dim")
            line.add_leaf(label, item)
            return
        added = line.add(label, item, expand=path in self._opened)
        if path in self._opened:
            self._add_rows(added, item)

    def _is_shown(self, node: NodeStory, row: Row) -> bool:
        """What was written; of a module's data without names, only what leads to the heap."""
        if node.kind == "global" and node.type_id is None:
            target = row.version(self.moment)
            led = target.target if target and target.state in POINTING else None
            found = {} if led is None else self.story.nodes([led], self.moment)
            return any(each.kind == "heap" for each in found.values())
        return row.text(self.moment) is not None or self._was(row) is not None

    def _is_above(self, line: TreeNode[Item] | None, target: int) -> bool:
        while line is not None:
            if line.data is not None and target in (line.data.target, line.data.node):
                return True
            line = line.parent
        return False

    def _was(self, row: Row) -> str | None:
        return None if self.compared is None else row.text(self.compared)

    def _row_text(self, node: NodeStory, row: Row, name: str) -> Text:
        version = row.version(self.moment)
        state = version.state if version else ""
        is_new = version is not None and version.since == self.moment
        label = Text("● " if is_new else "  ", "bold yellow")
        label.append(printable(name), "bold")
        label.append("  ")
        label.append(row.text(self.moment) or "—", _STYLES.get(state, ""))
        if version is not None and version.target is not None and state in POINTING:
            label.append(f"  {self._what(version.target)}", "dim")
        if not node.is_there(self.moment):
            label.append("  (freed)", "red")
        was = self._was(row)
        if self.compared is not None and was != row.text(self.moment):
            label.append(f"  was {was or 'not written'}", "yellow")
        return label

    def _node_text(self, node: NodeStory) -> Text:
        label = Text("  ")
        label.append(printable(node.title), "bold")
        label.append(f"  {self._kind(node)}", "dim")
        if not node.is_there(self.moment):
            label.append("  freed" if (node.born or 0) <= self.moment else "  not born yet", "red")
        return label

    def _what(self, node: int) -> str:
        """A node in few words: its name and type, and how large it is."""
        found = self.story.nodes([node], self.moment).get(node)
        if found is None:
            return ""
        named = f"{found.title}, " if found.name else ""
        return printable(named + self._kind(found))

    def _kind(self, node: NodeStory) -> str:
        kind = self.story.trace.types.name(node.type_id) or node.kind
        return printable(f"{kind}, {count(node.size, 'byte')}")
