"""A window around some nodes, chosen in the plainest way: which nodes and words it is to have."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

import heapstory as api
from tests.support.windows import EVERYTHING, PlainWindow

DATA_WORDS = 1


@dataclass
class Word:
    """A field of the window of everything, with its versions: from, target, state."""

    offset: int
    number: int  # of the word in the node
    versions: list[tuple[int, int | None, str]] = field(default_factory=list)

    def targets(self, at: int | None) -> list[int]:
        """What it led to, or leads to as of a moment."""
        versions = self.versions
        if at is not None:
            versions = [version for version in versions if version[0] <= at][-1:]
        return [target for _, target, _ in versions if target is not None]

    @property
    def is_broken(self) -> bool:
        return any(target is not None and state != "live" for _, target, state in self.versions)


def words_of(whole: PlainWindow) -> dict[int, list[Word]]:
    nodes, fields, versions = (whole.columns[name] for name in ("nodes", "fields", "versions"))
    firsts = whole.columns["field_versions"]["first"]
    found: dict[int, list[Word]] = {node: [] for node in nodes["id"]}
    for number, (row, offset) in enumerate(zip(fields["node"], fields["offset"], strict=True)):
        address = nodes["address"][row]
        word = Word(offset, (address + offset) // 8 - address // 8)
        for at in range(firsts[number], firsts[number + 1]):
            word.versions.append(
                (versions["from"][at], versions["target"][at], versions["state"][at])
            )
        found[nodes["id"][row]].append(word)
    return found


@dataclass
class Choice:
    """What a window is asked for."""

    start: list[int]
    at: int
    limit: int
    fan: int
    opened: dict[int, int]
    wanted: list[tuple[int, int]]


def chosen(words: dict[int, list[Word]], there: set[int], choice: Choice) -> dict[int, int]:
    """The nodes and their distances."""
    found: dict[int, int] = {}
    for now, limit in ((True, choice.limit - choice.limit // 4), (False, choice.limit)):
        front = [(node, 0) for node in choice.start if not now or node in there]
        front += [led for node in found for led in _led(words, found, node, now, choice)]
        while front and len(found) < limit:
            fresh: dict[int, int] = {}
            for node, distance in front:
                if len(found) + len(fresh) < limit and node in words and node not in found:
                    fresh.setdefault(node, distance)
            found |= fresh
            # The core goes on in order of address, which matters only where a limit is hit.
            front = [led for node in fresh for led in _led(words, found, node, now, choice)]
    return found


def _led(
    words: dict[int, list[Word]], found: dict[int, int], node: int, now: bool, choice: Choice
) -> list[tuple[int, int]]:
    most = choice.fan + choice.opened.get(node, 0)
    first = [word for word in words[node] if (node, word.offset) in choice.wanted]
    targets: dict[int, None] = {}
    for word in [*first, *words[node]]:
        for target in word.targets(choice.at if now else None):
            if target in words and len(targets) < most:
                targets.setdefault(target)
    return [(target, found[node] + 1) for target in targets]


def check_folded(trace: api.Trace, first: int, last: int, choice: Choice) -> None:
    """A window with everything it may leave out left out, against what the rules say."""
    whole = PlainWindow(trace, first, last)
    words = words_of(whole)
    there = set(whole.nodes(choice.at))
    folded = PlainWindow(
        trace,
        first,
        last,
        start=choice.start,
        limit=choice.limit,
        data_words=DATA_WORDS,
        at=choice.at,
        fan=choice.fan,
        opened=choice.opened,
        wanted=choice.wanted,
    )
    nodes = folded.columns["nodes"]
    expected = chosen(words, there, choice)
    distances = dict(zip(nodes["id"], nodes["distance"], strict=True))
    if choice.limit == EVERYTHING:
        assert distances == expected
    assert len(distances) <= choice.limit
    kept = words_of(folded)
    rows = zip(nodes["id"], nodes["more"], nodes["words_left_out"], strict=True)
    for node, more, left_out in rows:
        led = {target for word in words[node] for target in word.targets(None)}
        assert more == len((led & words.keys()) - distances.keys()), node
        wanted = _kept(words[node], node, distances.keys(), choice)
        assert [word.offset for word in kept[node]] == wanted, node
        assert left_out == len(words[node]) - len(wanted), node
        whole_words = {word.offset: word.versions for word in words[node]}
        for word in kept[node]:
            assert word.versions == whole_words[word.offset], (node, word.offset)


def _kept(words: list[Word], node: int, nodes: Set[int], choice: Choice) -> list[int]:
    offsets = []
    broken = 0
    for word in words:
        is_first = word.number < DATA_WORDS + choice.opened.get(node, 0)
        leads = not nodes.isdisjoint(word.targets(None))
        if is_first or leads or (node, word.offset) in choice.wanted:
            offsets.append(word.offset)
        elif word.is_broken:
            broken += 1
            if broken <= choice.fan:
                offsets.append(word.offset)
    return offsets
