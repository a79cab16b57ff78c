"""The tables of docs/evaluation/record.md from the figures."""

from collections.abc import Callable, Iterable

from benchmarks.support.measure import geometric_mean
from benchmarks.support.page import table
from benchmarks.support.results import Result

NONE = "–"


def _seconds(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _megabytes(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value / 1e6:,.0f}" if value >= 1e7 else f"{value / 1e6:.1f}"


def _mean(results: Iterable[Result], figure: Callable[[Result], float | None]) -> str:
    return _seconds(geometric_mean(value for one in results if (value := figure(one))))


def programs(results: list[Result]) -> str:
    rows = [[one.name, one.structure, one.work] for one in results]
    return table(["program", "data structure", "input"], rows).replace("---:", "---")


def times(results: list[Result], start: Result) -> str:
    head = ["seconds", "native", "none", "Memcheck", "record + graph", "of it graph"]
    head += ["÷ none", "÷ Memcheck"]
    rows = [_time_row(one) for one in [start, *results]]
    means = [
        _mean(results, lambda one: one.wall["native"]),
        _mean(results, lambda one: one.wall["none"]),
        _mean(results, lambda one: one.wall["memcheck"]),
        _mean(results, lambda one: one.record.get("wall")),
        "",
        _mean(results, lambda one: one.ratio("none")),
        _mean(results, lambda one: one.ratio("memcheck")),
    ]
    return table(head, [*rows, ["**geometric mean**", *means]])


def _time_row(one: Result) -> list[str]:
    cells: list[float | None] = [one.wall["native"], one.wall["none"], one.wall["memcheck"]]
    cells += [one.record.get("wall"), one.record.get("graph_wall")]
    return [one.name, *map(_seconds, [*cells, one.ratio("none"), one.ratio("memcheck")])]


def cpu(results: list[Result], start: Result) -> str:
    head = ["CPU seconds", "native", "none", "Memcheck", "tool", "collector"]
    head += ["tool + collector ÷ Memcheck"]
    rows = []
    for one in [start, *results]:
        cells: list[float | None] = [one.cpu["native"], one.cpu["none"], one.cpu["memcheck"]]
        cells += [one.record.get("tool_cpu"), one.record.get("collector_cpu"), one.cpu_ratio()]
        rows.append([one.name, *map(_seconds, cells)])
    mean = _mean(results, lambda one: one.cpu_ratio())
    return table(head, [*rows, ["**geometric mean**", *[""] * 5, mean]])


def space(results: list[Result]) -> str:
    head = ["trace", "events", "changes", "bytes per event", "trace MB", "snapshots MB"]
    head += ["snapshots ÷ trace", "collector's peak MiB", "nodes", "typed"]
    rows = [_space_row(one) for one in results]
    mean = _mean(results, lambda one: one.bytes_per_event())
    return table(head, [*rows, ["**geometric mean**", "", "", mean, *[""] * 6]])


def _space_row(one: Result) -> list[str]:
    trace = one.trace
    if not trace:
        return [one.name, *[NONE] * 9]
    typed = f"{trace['typed'] / trace['nodes']:.0%}" if trace["nodes"] else NONE
    return [
        one.name,
        f"{trace['events']:,}",
        f"{trace['timestamps']:,}",
        _seconds(one.bytes_per_event()),
        _megabytes(trace["event_bytes"]),
        _megabytes(trace["snapshot_bytes"]),
        f"{trace['snapshot_bytes'] / trace['event_bytes']:,.0f}",
        f"{one.record['collector_peak_kib'] / 1024:,.0f}",
        f"{trace['nodes']:,}",
        typed,
    ]
