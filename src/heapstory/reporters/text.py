"""Answers for people to read in a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from heapstory.graph.model import label
from heapstory.reporters.style import PLAIN, Style
from heapstory.trace.discoveries import COUNTED

if TYPE_CHECKING:
    from heapstory.graph.drawing import Box, Drawing, Row
    from heapstory.graph.history import History, Version
    from heapstory.recording.checks import Check
    from heapstory.trace.discoveries import Discoveries
    from heapstory.trace.info import Info
    from heapstory.trace.suspicions import Suspicion

WIDEST_CELL = 80


def graph(drawing: Drawing, style: Style = PLAIN) -> str:
    """Every node with its fields, in the order the edges lead through them."""
    what = "evolution up to" if drawing.evolution else "graph at"
    last = " (the last)" if drawing.at == drawing.last else f" of {drawing.last}"
    count = _count(len(drawing.boxes), "node")
    lines = [style.bold(f"{what} timestamp {drawing.at}{last}: {count}")]
    for box in drawing.boxes:
        lines += ["", *_box(box, style)]
    return "\n".join(lines) + "\n"


def _box(box: Box, style: Style) -> Iterator[str]:
    node = box.node
    words = [style.bold(box.title), box.detail]
    if node.kind == "heap":
        words.append(style.dim(str(node.created)))
    if node.freed is not None:
        words.append(style.dim(f"freed {node.freed}"))
    if node.lost:
        words.append(style.red("lost: nothing points to it any more"))
    yield "  ".join(words)
    name = max((len(row.name) for row in box.rows), default=0)
    text = max((len(mark.text) for row in box.rows for mark in row.marks), default=0)
    for row in box.rows:
        yield from _row(row, name, text, style)


def _row(row: Row, name: int, text: int, style: Style) -> Iterator[str]:
    for number, mark in enumerate(row.marks):
        shown = row.name if number == 0 else ""
        old = "" if mark.current else "  old"
        line = f"{mark.text:<{text}}  {style.dim(mark.label)}{old}"
        yield f"  {shown:<{name}}  {line}".rstrip()


def info(info: Info) -> str:
    """What is in a trace, one fact per line."""
    counts, sizes = info.counts, info.sizes
    facts = [
        ("trace", info.path),
        ("program", shlex.join(info.program) or "?"),
        ("directory", info.directory or "?"),
        ("recorded", f"{info.started or '?'} by heapstory {info.heapstory or '?'}"),
        ("mode", " ".join([info.mode, *map(shlex.quote, info.options)])),
        ("ended", _ending(info)),
        (
            "complete",
            "yes" if info.complete else f"no: {info.damage or 'the recording was cut off'}",
        ),
        ("timestamps", f"{info.timestamps:,}"),
        (
            "events",
            f"{info.events:,} ({counts['allocations']:,} allocations, {counts['frees']:,} frees, "
            f"{counts['stores']:,} stores, {counts['ranges']:,} ranged stores)",
        ),
        ("graph", f"{info.nodes:,} nodes and {info.edges:,} edges at the last timestamp"),
        ("sites", f"{counts['sites']:,}, {_count(counts['threads'], 'thread')}"),
        ("C-points", f"{counts['cpoints']:,}"),
        (
            "size",
            f"{_bytes(info.bytes)} (events {_bytes(sizes['event_bytes'])}, "
            f"symbols {_bytes(sizes['symbol_bytes'])}, source {_bytes(sizes['source_bytes'])})",
        ),
    ]
    if info.discoveries:
        facts += _doubts(info.discoveries)
    return "".join(f"{name:<10}  {value}\n" for name, value in facts)


def _doubts(found: Discoveries) -> Iterator[tuple[str, str]]:
    verbs = {"gives": "gave out", "takes": "took back"}
    for one in found.candidates:
        yield (
            "candidate",
            f"{one.place or hex(one.low)} looks like an allocator, it {verbs[one.kind]} "
            f"{_count(one.blocks, 'block')}: record --allocator {shlex.quote(one.allocator)}",
        )
    if found.untouched:
        yield (
            "untouched",
            f"{_count(found.untouched, 'node')} that nothing accessed, integers that looked like "
            "addresses (graph --touched leaves them out)",
        )
    for what, times in found.counted.items():
        yield "counted", f"{times:,} {COUNTED.get(what, what)}"


def suspicious(found: Sequence[Suspicion], trace: str) -> str:
    """Each access with both nodes, and how to ask for their past."""
    if not found:
        return "no suspicious accesses\n"
    lines = []
    for one in found:
        sure = "certain" if one.certain else "possible"
        change = label(one.timestamp, one.place)
        lines.append(f"{sure} overflow at {change}: {one.words}")
        where = f" (+{one.address - one.reached.address})" if one.reached else ""
        lines.append(f"  {one.bytes} bytes at {one.address:#x}{where}, reached from {one.base:#x}")
        for node in (one.node, one.reached):
            if node is not None:
                lines.append(f"  {node.title}: {node.size} bytes, made at {node.created}")
        if one.reached is not None:
            lines.append(f"  its past: heapstory history {trace} --node {one.reached.id}")
    return "\n".join(lines) + "\n"


def _ending(info: Info) -> str:
    if info.exit_signal:
        return f"signal {info.exit_signal}"
    if info.ended == "exec":
        return "by running another program (exec); its trace is the next one"
    return "unknown" if info.exit_code is None else f"exit status {info.exit_code}"


def history(answer: History, style: Style = PLAIN, limit: int = 0) -> str:
    """One line per version; the last ``limit`` of them if there are more."""
    hidden = max(0, len(answer) - limit) if limit else 0
    title = answer.node.title if answer.node else f"address {answer.address:#x}"
    lines = [style.bold(f"{title}: {_count(len(answer), 'version')} of {answer.size} bytes")]
    if hidden:
        lines.append(style.dim(f"... {_count(hidden, 'older version')} (all: --limit 0)"))
    shown = answer.versions[hidden:]
    cells = [_version(version, answer.node is None) for version in shown]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"


def _version(version: Version, name_node: bool) -> list[str]:
    where = version.field or (f"+{version.offset}" if version.offset is not None else "")
    if name_node and version.node is not None:
        where = f"node {version.node} {where}"
    how = [] if version.kind == "store" else [version.kind]
    how += ["silent"] if version.silent else []
    how += [f"thread {version.thread}"] if version.thread not in (None, 1) else []
    function = version.place.function if version.place and version.place.function else ""
    return [str(version.change), where, _value(version), function, " ".join(how)]


def _value(version: Version) -> str:
    if version.target is not None:
        offset = f"+{version.target_offset}" if version.target_offset else ""
        stale = " (stale)" if version.state == "stale" else ""
        return f"→ node {version.target}{offset}{stale}"
    if version.data is not None:
        return _hex(version.data)
    if version.value is None:
        return "?"
    return "NULL" if version.state == "null" else f"{version.value} ({version.value:#x})"


def _hex(data: bytes) -> str:
    """The first bytes, as they lie in memory."""
    if len(set(data)) == 1:
        return f"{data[:1].hex()} × {len(data)}"
    return data[:16].hex(" ") + (f" … {len(data)} bytes" if len(data) > 16 else "")


def checks(found: Sequence[Check], style: Style = PLAIN) -> str:
    """One line per thing, with its remedy where it is missing."""
    lines = []
    for check in found:
        word = "ok" if check.ok else "MISSING" if check.required else "absent"
        colour = style.green if check.ok else style.red if check.required else style.dim
        lines.append(f"{colour(f'{word:<7}')}  {check.name:<12}  {check.found}")
        if check.remedy:
            lines.append(f"{'':<23}needed for {check.needed_for}: {check.remedy}")
    return "\n".join(lines) + "\n"


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A plain table, numbers to the right; names too long to read keep their two ends."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    numeric = [
        all(isinstance(row[index], int | float) or row[index] is None for row in rows)
        for index in range(len(columns))
    ]

    def line(values: Sequence[str]) -> str:
        padded = (
            f"{value:>{width}}" if right else f"{value:<{width}}"
            for value, width, right in zip(values, widths, numeric, strict=True)
        )
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(columns), rule, *map(line, cells)]) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    words = f"{value:.6g}" if isinstance(value, float) else str(value)
    if len(words) <= WIDEST_CELL:
        return words
    kept = WIDEST_CELL // 2
    return f"{words[: kept - 1]}…{words[-kept:]}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _bytes(number: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} GiB"
