"""The figures of one program, their JSON form, and the targets they are held against."""

from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.support.measure import Run, geometric_mean
from benchmarks.support.peers import Recording

GIB_IN_KIB = 1 << 20


@dataclass
class Result:
    """One row. Times are the best of the runs; wall and CPU are each taken at their best."""

    name: str
    structure: str
    work: str
    wall: dict[str, float]
    cpu: dict[str, float]
    walls: dict[str, list[float]]
    record: dict[str, float] = field(default_factory=dict)
    trace: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, structure: str, work: str, runs: dict[str, list[Run]]) -> "Result":
        return cls(
            name,
            structure,
            work,
            {peer: min(run.wall for run in those) for peer, those in runs.items()},
            {peer: min(run.cpu for run in those) for peer, those in runs.items()},
            {peer: [run.wall for run in those] for peer, those in runs.items()},
        )

    def add_recordings(self, recordings: list[Recording]) -> None:
        fastest = min(recordings, key=lambda one: one.wall)
        leanest = min(recordings, key=lambda one: one.record.cpu)
        self.walls["record"] = [one.wall for one in recordings]
        self.record = {
            "wall": fastest.wall,
            "record_wall": fastest.record.wall,
            "graph_wall": fastest.graph.wall,
            "cpu": leanest.record.cpu,
            "tool_cpu": leanest.tool_cpu,
            "collector_cpu": leanest.collector_cpu,
            "graph_cpu": min(one.graph.cpu for one in recordings),
            "collector_peak_kib": max(one.collector_peak_kib for one in recordings),
        }
        if leanest.recorder_cpu is not None:
            # What neither the recorder nor the collector owns up to: the launcher, or a mistake.
            claimed = leanest.recorder_cpu + leanest.collector_cpu
            self.record["unclaimed_cpu"] = leanest.record.cpu - claimed

    def ratio(self, peer: str) -> float | None:
        return self.record["wall"] / self.wall[peer] if self.record else None

    def cpu_ratio(self) -> float | None:
        return self.record["cpu"] / self.cpu["memcheck"] if self.record else None

    def bytes_per_event(self) -> float | None:
        return self.trace["event_bytes"] / self.trace["events"] if self.trace else None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def verdicts(results: list[Result], start: Result) -> list[str]:
    """Every target with what was measured, one line each, misses first to be seen."""
    lines = []

    def held(text: str, fine: bool) -> None:
        lines.append(f"{'held' if fine else 'MISSED'}: {text}")

    for result in (one for one in results if "none" in one.wall):
        least = 60.0 if result.name == "sqlite3" else 2.0
        own = result.wall["none"] - start.wall["none"]
        if own < least:
            held(f"{result.name} runs {own:.1f} s under none, should be {least:.0f} s", False)
    recorded = [result for result in results if result.record and "memcheck" in result.wall]
    if recorded:
        walls = {one.name: one.ratio("memcheck") or 0.0 for one in recorded}
        mean = geometric_mean(walls.values()) or 0.0
        worst = max(walls, key=lambda name: walls[name])
        held(f"wall ÷ Memcheck {mean:.2f} (geometric mean; target 0.60)", mean <= 0.6)
        held(f"wall ÷ Memcheck at worst {walls[worst]:.2f} ({worst}; target 1)", walls[worst] <= 1)
        cpus = {one.name: one.cpu_ratio() or 0.0 for one in recorded}
        worst = max(cpus, key=lambda name: cpus[name])
        held(f"CPU ÷ Memcheck at worst {cpus[worst]:.2f} ({worst}; target 1)", cpus[worst] <= 1)
        density = geometric_mean(one.bytes_per_event() or 0.0 for one in recorded) or 0.0
        held(f"bytes per event {density:.2f} (geometric mean; target 2)", density <= 2)
        peak = max(recorded, key=lambda one: one.record["collector_peak_kib"])
        size = peak.record["collector_peak_kib"]
        held(
            f"collector's peak {size / 1024:.0f} MiB ({peak.name}; target 1024)",
            size <= GIB_IN_KIB,
        )
    return sorted(lines, key=lambda line: line.startswith("held"))
