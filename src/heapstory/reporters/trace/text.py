"""The answers of ``info`` and ``history`` for people."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from heapstory.graph.model import label
from heapstory.reporters.style import PLAIN, Style
from heapstory.reporters.text import count, printable, size
from heapstory.trace.discoveries import COUNTED

if TYPE_CHECKING:
    from heapstory.graph.history import History, Version
    from heapstory.trace.crash import Crash
    from heapstory.trace.discoveries import Discoveries
    from heapstory.trace.info import Info, StreamInfo
    from heapstory.trace.suspicions import Suspicion

_MOST_BAD_FREES = 10
_MOST_CALLS = 20


def info(info: Info) -> str:
    """What is in a trace, one fact per line."""
    counts, sizes = info.counts, info.sizes
    facts = [
        ("trace", info.path),
        ("program", shlex.join(info.program) or "?"),
        ("directory", info.directory or "?"),
        ("recorded", f"{info.started or '?'} by heapstory {info.heapstory or '?'}"),
        ("mode", " ".join([info.mode, *(shlex.quote(one) for one in _asked(info.options))])),
        ("ended", _ending(info)),
        *(_crash(info.crash) if info.crash else ()),
        (
            "complete",
            "yes" if info.complete else f"no: {info.damage or 'the recording was cut off'}",
        ),
        ("timestamps", f"{info.timestamps:,}"),
        (
            "events",
            f"{info.events:,} ({count(counts['allocations'], 'allocation')}, "
            f"{count(counts['frees'], 'free')}, {count(counts['stores'], 'store')}, "
            f"{count(counts['ranges'], 'ranged store')})",
        ),
        (
            "graph",
            f"{count(info.nodes, 'node')} and {count(info.edges, 'edge')} at the last timestamp",
        ),
        ("sites", f"{counts['sites']:,}, {count(counts['threads'], 'thread')}"),
        ("C-points", f"{counts['cpoints']:,}"),
        (
            "size",
            f"{size(info.bytes)} (events {size(sizes['event_bytes'])}, "
            f"symbols {size(sizes['symbol_bytes'])}, source {size(sizes['source_bytes'])})",
        ),
    ]
    facts += _bad_frees(info)
    if info.stream:
        facts += _stream(info.stream)
    if info.discoveries:
        facts += _doubts(info.discoveries)
    return "".join(f"{name:<10}  {printable(value)}\n" for name, value in facts)


def _crash(crash: Crash) -> Iterator[tuple[str, str]]:
    """What the address was, and the calls; the statement itself stands at the end already."""
    if crash.words:
        yield "address", crash.words
    for place in crash.stack[1 : _MOST_CALLS + 1]:
        inside = f" in {place.function}" if place.function and place.line else ""
        yield "called at", f"{place}{inside}"
    if len(crash.stack) > _MOST_CALLS + 1:
        yield "called at", f"{count(len(crash.stack) - _MOST_CALLS - 1, 'more call')} (--json)"


def _bad_frees(info: Info) -> Iterator[tuple[str, str]]:
    for one in info.bad_frees[:_MOST_BAD_FREES]:
        yield "bad free", one.words
    if info.bad_free_count > _MOST_BAD_FREES:
        more = count(info.bad_free_count - _MOST_BAD_FREES, "more bad free")
        yield "bad free", f"{more} (query: SELECT * FROM frees WHERE error IS NOT NULL)"


_WINDOW_ENDS = {
    "recording": "up to the end of the recording",
    "until": "up to --stream-until",
    "for": "up to --stream-for",
    None: "cut off",
}


def _stream(stream: StreamInfo) -> Iterator[tuple[str, str]]:
    each = f", {stream.bytes / stream.instructions:.2f} each" if stream.instructions else ""
    yield (
        "stream",
        f"{count(stream.instructions, 'instruction')} in {count(stream.steps, 'step')} of "
        f"{count(stream.blocks, 'block')} of code, {size(stream.bytes)}{each}",
    )
    for window in stream.windows:
        number = count(window.instructions, "instruction")
        yield "window", f"step {window.first:,} on, {number}, {_WINDOW_ENDS[window.ended]}"


def _doubts(found: Discoveries) -> Iterator[tuple[str, str]]:
    verbs = {"gives": "gave out", "takes": "took back"}
    for one in found.candidates:
        yield (
            "candidate",
            f"{one.place or hex(one.low)} looks like an allocator, it {verbs[one.kind]} "
            f"{count(one.blocks, 'block')}: record --allocator {shlex.quote(one.allocator)}",
        )
    if found.untouched:
        yield (
            "untouched",
            f"{count(found.untouched, 'node')} that nothing accessed, integers that looked like "
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
        nodes = {node.id: node for node in (one.node, one.reached) if node is not None}
        for node in nodes.values():
            lines.append(f"  {node.title}: {node.size} bytes, made at {node.created}")
        if one.reached is not None:
            lines.append(f"  its past: heapstory history {trace} --node {one.reached.id}")
    return "\n".join(lines) + "\n"


def _asked(options: Sequence[str]) -> list[str]:
    """As they are written on the command line."""
    return [one.removesuffix("=yes") for one in options]


def _ending(info: Info) -> str:
    if info.exit_signal:
        return f"signal {info.exit_signal} ({_signal_name(info.exit_signal)}){_where(info)}"
    if info.ended == "failed":
        return "unknown: the recorder failed"
    if info.ended == "exec":
        return "by running another program (exec); its trace is the next one"
    return "unknown" if info.exit_code is None else f"exit status {info.exit_code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}"


def _where(info: Info) -> str:
    if info.exit_place is None:
        return ""
    inside = info.exit_place.function if info.exit_place.line else None
    return f" at {info.exit_place}" + (f" in {inside}" if inside else "")


def history(answer: History, style: Style = PLAIN, limit: int = 0) -> str:
    """One line per version; the last ``limit`` of them if there are more."""
    hidden = max(0, len(answer) - limit) if limit else 0
    lines = [style.bold(_title(answer))]
    if hidden:
        lines.append(style.dim(f"... {count(hidden, 'older version')} (all: --limit 0)"))
    shown = answer.versions[hidden:]
    cells = [_version(version, answer.node is None) for version in shown]
    if answer.pointing_to:
        cells = [[*cell, _until(version)] for cell, version in zip(cells, shown, strict=True)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"


def _title(answer: History) -> str:
    if answer.pointing_to:
        return f"{answer.pointing_to.title}: {count(len(answer), 'pointer')} to it"
    title = answer.node.title if answer.node else f"address {answer.address:#x}"
    return f"{title}: {count(len(answer), 'version')} of {answer.size} bytes"


def _until(version: Version) -> str:
    return "still there" if version.until is None else f"until {version.until}"


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
