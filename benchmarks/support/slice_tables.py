"""The tables of docs/evaluation/slice.md."""

from typing import Any

from benchmarks.support.measure import geometric_mean
from benchmarks.support.page import table

# Tables 5.1 and 5.2 of the thesis: seconds of DrDebug's algorithm and of the improved one, by
# criterion; None where it did not finish. Their machine had 16 Xeons and 128 GB, their programs are
# PARSEC's own.
THESIS: dict[tuple[str, str], list[tuple[float | None, float | None]]] = {
    ("blackscholes", "4"): [(95.7, 21.7), (17.3, 18.7), (19.3, 20.0), (17.2, 33.6), (19.4, 19.2)],
    ("bodytrack", "4"): [(3888.5, 128.8), (3550.6, 564.9), (2412.7, 184.7), (4924.7, 135.9),
                         (4459.5, 122.0)],
    ("fluidanimate", "4"): [(459.5, 772.4), (480.2, 637.0), (416.0, 753.8), (488.1, 694.5),
                            (462.1, 777.9)],
    ("swaptions", "4"): [(23.3, 34.1), (92.5, 17.7), (8.6, 14.8), (1023.6, 255.5), (1542.0, 291.2)],
    ("vips", "4"): [(109.0, 5.8), (106.1, 5.1), (124.5, 5.4), (109.0, 4.7), (106.5, 5.3)],
    ("dedup", "4"): [(1429.5, 1966.1), (65.3, 132.7), (67.7, 120.4), (75.6, 256.0),
                     (49168.5, 12710.4)],
    ("streamcluster", "4"): [(72.3, 24.5), (66.2, 41.9), (81.7, 43.1), (64.5, 32.2), (59.6, 24.0)],
    ("blackscholes", "40"): [(13940.0, 3069.3), (2365.3, 1135.6), (2196.2, 1319.6),
                             (2494.7, 1389.3), (2441.1, 1394.6)],
    ("bodytrack", "40"): [(228979.8, 54432.3), (None, 51883.6), (None, 65629.1), (None, 48718.9)],
    ("fluidanimate", "40"): [(None, 6886.8), (None, 12747.7), (None, 6776.6), (None, 8207.5),
                             (None, 7009.5)],
    ("swaptions", "40"): [(None, 101.7)],
    ("vips", "40"): [(None, 5827.2), (None, 2273.9), (None, 5712.2), (None, 2259.4),
                     (None, 6068.4)],
    ("dedup", "170"): [(None, 5250.8)],
    ("streamcluster", "40"): [(123.6, 192.2), (8090.0, 4074.7), (8821.2, 4037.4), (8725.9, 3742.7),
                              (8463.4, 4424.9)],
}  # fmt: skip


def rendered(figures: dict[str, Any]) -> str:
    """Everything between the marks of the page."""
    programs = figures["programs"]
    sizes = list(dict.fromkeys(one["size"] for one in programs))
    parts = [
        f"Taken {figures['date']} at {figures['revision']} with `{figures['command']}` on: "
        f"{figures['machine']}.",
        "",
        *(f"- {line}" for line in verdicts(programs)),
        *(f"- ERROR: {line}" for line in differences(programs)),
        "",
        "### Recording",
        "",
        recording(programs),
    ]
    for size in sizes:
        these = [one for one in programs if one["size"] == size]
        parts += ["", f"### Slices of {size} million instructions", "", slices(these, size)]
        if any("lists" in one for p in these for one in p["criteria"]):
            parts += ["", f"### Growth of the list, {size} million instructions", "", growth(these)]
    parts += ["", "### Memory and further questions", "", further(programs)]
    return "\n".join(parts)


def differences(programs: list[dict[str, Any]]) -> list[str]:
    """Slices that the algorithms do not agree on."""
    return [
        f"{one['name']}-{one['size']}, criterion {criterion['number']}: {name} has "
        f"{lists['instructions']:,} instructions, ours {criterion['instructions']:,}"
        for one in programs
        for criterion in one["criteria"]
        for name, lists in criterion.get("lists", {}).items()
        if lists and lists["instructions"] != criterion["instructions"]
    ]


def verdicts(programs: list[dict[str, Any]]) -> list[str]:
    """The goals, and whether they were reached."""
    more = [_first(one, c) / c["seconds"] for one in programs for c in one["criteria"][1:]]
    sizes = list(dict.fromkeys(one["size"] for one in programs))
    return [
        *(_recorded([one for one in programs if one["size"] == size], size) for size in sizes),
        *(_smallness([one for one in programs if one["size"] == size], size) for size in sizes),
        _faster(programs, "Algorithm 5", "algorithm5", 5),
        _faster(programs, "Algorithm 4", "algorithm4", 25),
        _verdict("first answer ÷ a further one", geometric_mean(more), 5),
        _verdict("the same with reasons", geometric_mean(_told_ratios(programs)), 5),
    ]


def _recorded(programs: list[dict[str, Any]], size: str) -> str:
    ratios = [one["wall"]["stream"] / one["wall"]["memcheck"] for one in programs]
    what = f"recording {size} million instructions, wall ÷ Memcheck"
    return _verdict(what, geometric_mean(ratios), 1, less=True)


def _smallness(programs: list[dict[str, Any]], size: str) -> str:
    bytes_of = {
        one["name"]: one["counts"]["bytes"] / one["counts"]["instructions"] for one in programs
    }
    largest = max(bytes_of, key=bytes_of.__getitem__)
    what = f"bytes per instruction at {size} million, at most ({largest})"
    return _verdict(what, bytes_of[largest], 0.3, less=True)


def _verdict(what: str, value: float | None, goal: float, less: bool = False) -> str:
    if value is None:
        return f"not measured: {what} (goal {goal:g})"
    held = value <= goal if less else value >= goal
    return f"{'held' if held else 'MISSED'}: {what} {value:.2f} (goal {goal:g})"


def _faster(programs: list[dict[str, Any]], title: str, name: str, goal: float) -> str:
    """How much longer an algorithm of the thesis takes. A slice at which it was stopped counts with
    the seconds it had, so that the mean is a lower bound; the others' is told beside it."""
    finished = [r for one in programs for r in _ratios(one, name)]
    stopped = [r for one in programs for r in _least_ratios(one, name)]
    what = f"{title} ÷ ours, first answer included"
    if not stopped:
        return _verdict(what, geometric_mean(finished), goal)
    mean = geometric_mean(finished)
    others = f"; {mean:.2f} over the {len(finished)} that were finished" if mean else ""
    return (
        _verdict(f"{what}, at least", geometric_mean(finished + stopped), goal)
        + f": {len(stopped)} of {len(finished) + len(stopped)} were stopped and count with the "
        f"seconds they had{others}"
    )


def _first(one: dict[str, Any], criterion: dict[str, Any]) -> float:
    """Seconds until this answer, were it the first: opening, preparing, its walk."""
    return float(one["open"] + one["prepare"] + criterion["alone"])


def _ratios(one: dict[str, Any], name: str) -> list[float]:
    found = [(criterion, criterion.get("lists", {}).get(name)) for criterion in one["criteria"]]
    return [lists["seconds"] / _first(one, criterion) for criterion, lists in found if lists]


def _least_ratios(one: dict[str, Any], name: str) -> list[float]:
    """Of the slices at which an algorithm was stopped."""
    return [one["limit"] / _first(one, c) for c in one["criteria"] if _is_stopped(one, c, name)]


def _is_stopped(one: dict[str, Any], criterion: dict[str, Any], name: str) -> bool:
    lists = criterion.get("lists", {})
    return bool(one.get("limit")) and name in lists and lists[name] is None


def _told_ratios(programs: list[dict[str, Any]]) -> list[float]:
    """Of slices with reasons, as the command gives them; the first of five is no further one."""
    further = [c for one in programs for c in one["criteria"][1:] if "told" in c]
    return [criterion["told_alone"] / criterion["told"] for criterion in further]


def recording(programs: list[dict[str, Any]]) -> str:
    head = ["seconds", "M instructions", "threads", "native", "none", "Memcheck", "lackey",
            "record --stream", "÷ none", "÷ Memcheck", "bytes per instruction"]  # fmt: skip
    rows = []
    for one in programs:
        wall, counts = one["wall"], one["counts"]
        rows.append([
            f"{one['name']}-{one['size']}", f"{counts['instructions'] / 1e6:.1f}",
            str(one["threads"]),
            *(_number(wall.get(peer))
              for peer in ("native", "none", "memcheck", "lackey", "stream")),
            f"{wall['stream'] / wall['none']:.2f}", f"{wall['stream'] / wall['memcheck']:.2f}",
            f"{counts['bytes'] / counts['instructions']:.3f}",
        ])  # fmt: skip
    return table(head, rows)


def slices(programs: list[dict[str, Any]], size: str) -> str:
    head = ["seconds", "M instructions", "criterion", "in the slice", "Algorithm 4",
            "Algorithm 5", "4 ÷ 5", "ours, first", "ours, further", "4 ÷ ours", "5 ÷ ours",
            "thesis: 4", "thesis: 5", "thesis: 4 ÷ 5"]  # fmt: skip
    rows = []
    for one in programs:
        for criterion in one["criteria"]:
            rows.append(_slice_row(one, criterion, size))
    return table(head, rows)


def _slice_row(one: dict[str, Any], criterion: dict[str, Any], size: str) -> list[str]:
    lists = criterion.get("lists", {})
    names = ("algorithm4", "algorithm5")
    four, five = (_seconds(lists.get(name)) for name in names)
    stopped = [_is_stopped(one, criterion, name) for name in names]
    theirs = THESIS.get((one["after"], size), [])
    thesis = theirs[criterion["number"] - 1 :][:1]
    told = thesis[0] if thesis else (None, None)
    first = _first(one, criterion)
    return [
        f"{one['name']} ({one['after']})", f"{one['counts']['instructions'] / 1e6:.1f}",
        str(criterion["number"]), f"{criterion['instructions']:,}",
        *(f"> {one['limit']:g}" if late else _number(seconds)
          for seconds, late in zip((four, five), stopped, strict=True)), _ratio(four, five),
        _number(first), _number(criterion["seconds"]),
        *(f"> {one['limit'] / first:.0f}" if late else _ratio(seconds, first)
          for seconds, late in zip((four, five), stopped, strict=True)),
        _number(told[0], 1), _number(told[1], 1), _ratio(*told),
    ]  # fmt: skip


def growth(programs: list[dict[str, Any]]) -> str:
    head = ["", "criterion", "longest list", "sorted list", "filter", "Algorithm 4, seconds",
            "with a sorted list", "Algorithm 5"]  # fmt: skip
    rows = []
    for one in programs:
        for criterion in one["criteria"]:
            lists = criterion.get("lists", {})
            four, ordered, five = (
                lists.get(name) for name in ("algorithm4", "algorithm4_sorted", "algorithm5")
            )
            longest = four or five
            rows.append([
                one["name"], str(criterion["number"]),
                f"{longest['longest_list']:,}" if longest else "–",
                f"{ordered['longest_list']:,}" if ordered else "–",
                f"{five['largest_filter']:,}" if five else "–",
                *(_number(_seconds(found)) for found in (four, ordered, five)),
            ])  # fmt: skip
    return table(head, rows)


def further(programs: list[dict[str, Any]]) -> str:
    head = ["means over the criteria", "M instructions", "preparing, s", "a walk, s",
            "a further one, s", "first answer ÷ further", "M instructions per second, first",
            "peak memory, MiB", "with reasons, s", "a further one, s",
            "first ÷ further"]  # fmt: skip
    rows = []
    for one in programs:
        walk, later = (_mean(all_of) for all_of in (
            [criterion["alone"] for criterion in one["criteria"]],
            [criterion["seconds"] for criterion in one["criteria"][1:]],
        ))  # fmt: skip
        first = _first(one, {"alone": walk})
        million = one["counts"]["instructions"] / 1e6
        rows.append([
            f"{one['name']}-{one['size']}", f"{million:.1f}", f"{one['prepare']:.2f}",
            f"{walk:.3f}", f"{later:.3f}", f"{first / later:.1f}", f"{million / first:.1f}",
            f"{one['peak_kib'] / 1024:.0f}", *_told_row(one),
        ])  # fmt: skip
    return table(head, rows)


def _told_row(one: dict[str, Any]) -> list[str]:
    criteria = [criterion for criterion in one["criteria"][1:] if "told" in criterion]
    if not criteria:
        return ["–"] * 3
    alone, later = (_mean([c[key] for c in criteria]) for key in ("told_alone", "told"))
    return [f"{alone:.3f}", f"{later:.3f}", f"{geometric_mean(_told_ratios([one])):.1f}"]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _seconds(found: dict[str, Any] | None) -> float | None:
    return float(found["seconds"]) if found else None


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def _ratio(one: float | None, other: float | None) -> str:
    return "–" if one is None or other is None else f"{one / other:.2f}"
