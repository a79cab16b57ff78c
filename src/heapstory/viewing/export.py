"""A trace as one HTML file of bounded size: what fits, and a word on what does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from heapstory.errors import LimitError
from heapstory.viewing.answers import FAN, Answers, WindowQuery
from heapstory.viewing.head import Opening, make_head
from heapstory.viewing.page_file import Bundle, compress, document, embedded_size

if TYPE_CHECKING:
    from heapstory.trace import Trace

MEGABYTE = 1_000_000
MAX_SIZE = 25 * MEGABYTE
_OPENING_NODES = 500
_SMALL = 2 * MEGABYTE  # a window of no more needs no smaller one to open with
_FEW_NODES = 100_000  # nor does one of so few, however well the others compress
_BYTES_OF_VERSION = 12.0  # in the file, at first guess
_DATA_WORDS = 4096  # of a node, as long as they fit
_TRIES = 4


def export(
    trace: Trace, opening: Opening, *, max_size: int = MAX_SIZE, bundle: Bundle | None = None
) -> Iterator[str]:
    """The pieces of the file."""
    page = bundle or Bundle.read()
    head = make_head(trace, opening, serve=False)
    answers = Answers(trace, for_files=True)
    blocks = {"bands": compress(answers.bands())}
    room = max_size - len(page.script) - len(page.style) - embedded_size(blocks["bands"])
    sources = _sources(trace, head, room)
    room -= sum(len(text) for text in sources.values())
    blocks["window"] = _window(trace, answers, head, room)
    if len(blocks["window"]) > _SMALL or head["nodes"] > _FEW_NODES:
        query = WindowQuery(
            first=head["first"],
            last=head["to"],
            at=head["at"],
            start=head["start"],
            limit=_OPENING_NODES,
            fan=FAN,
        )
        blocks["opening"] = compress(answers.window(query)[0])
    order = ("opening", "window", "bands")
    return document(
        page,
        trace.path.name,
        head,
        {name: blocks[name] for name in order if name in blocks},
        sources,
    )


def _sources(trace: Trace, head: dict[str, Any], room: int) -> dict[str, str]:
    """The text of sources, as far as a quarter of the file goes."""
    kept: dict[str, str] = {}
    size = 0
    for path in head["sources"]:
        text = trace.source(path)
        if text is None or size + len(text) > room // 4:
            continue
        kept[path] = text
        size += len(text)
    missing = len(head["sources"]) - len(kept)
    if missing:
        _leave_out(trace, head, "text of source files", missing)
        head["sources"] = list(kept)
    return kept


def _window(trace: Trace, answers: Answers, head: dict[str, Any], room: int) -> bytes:
    """The longest stretch of time around the moment to open with that fits."""
    changes = max(0, min(trace.last, int(room / _BYTES_OF_VERSION)))
    if trace.last <= 2 * changes:
        changes = trace.last  # most compress better than that: it is tried at once
    for attempt in range(_TRIES):
        first, last = _around(head["at"], trace.last, changes)
        query = WindowQuery(first=first, last=last, data_words=32 if attempt else _DATA_WORDS)
        data, window = answers.window(query)
        packed = compress(data)
        if embedded_size(packed) <= room // 2 and last - first < trace.last and not attempt:
            # It compresses better than guessed: there is room for a longer stretch.
            cost = embedded_size(packed) / max(window.versions, 1)
            changes = min(trace.last, int(0.8 * room / cost))
            continue
        if embedded_size(packed) <= room:
            head["first"], head["to"] = first, last
            if first or last < trace.last:
                what = f"changes before timestamp {first} and after {last}"
                _leave_out(trace, head, what, trace.last - (last - first))
            if window.heap_words_left_out:
                _leave_out(trace, head, "words of data", window.heap_words_left_out)
            return packed
        cost = embedded_size(packed) / max(window.versions, 1)
        state = window.versions - (last - first)  # of what is there at the begin, roughly
        changes = max(0, min((last - first) // 2, int(0.9 * room / cost) - max(state, 0)))
    return _part(trace, answers, head, room)


def _part(trace: Trace, answers: Answers, head: dict[str, Any], room: int) -> bytes:
    """Where not even one moment of all nodes fits: those near where the page begins."""
    limit = head["nodes"] // 4
    while limit >= 1:
        query = WindowQuery(first=head["at"], last=head["at"], start=head["start"], limit=limit)
        packed = compress(answers.window(query)[0])
        if embedded_size(packed) <= room:
            head["first"] = head["to"] = head["at"]
            _leave_out(trace, head, "all moments but one", trace.last)
            _leave_out(trace, head, "nodes", head["nodes"] - limit)
            return packed
        limit //= 4
    raise LimitError(
        f"{trace.path}: not even one node fits into the size allowed (raise --max-size, or use "
        "--serve)"
    )


def _around(at: int, last: int, changes: int) -> tuple[int, int]:
    """So many changes, with the moment in the middle where there is room on both sides."""
    end = min(last, at + changes // 2)
    first = max(0, end - changes)
    return first, min(last, max(end, first + changes))


def _leave_out(trace: Trace, head: dict[str, Any], what: str, count: int) -> None:
    how = f"heapstory view {trace.path} --serve"
    head["left_out"].append({"what": what, "count": count, "how": how})
