#!/usr/bin/env python3
"""What ``heapstory guard`` costs and finds, beside other allocators that check.

    python3 -m benchmarks.guard cost                 CPU and memory, tables on stdout
    python3 -m benchmarks.guard cost --only perl --runs 3
    python3 -m benchmarks.guard checks               what each check of the guard costs by itself
    python3 -m benchmarks.guard instructions         the same two by instructions, whatever the load
    python3 -m benchmarks.guard latency              redis: requests per second and p99, with scans
    python3 -m benchmarks.guard detect               the mistakes of guarding/programs/errors.c,
                                                     beside the peers and in seven builds
    python3 -m benchmarks.guard soak --minutes 10    redis, a scan every ten seconds

CPU is that of the program alone, as the kernel counts it; the best of the runs counts. Peers run in
turn, so drift hits all alike. Needs the Debian packages duma, electric-fence, libjemalloc2,
libclang-rt-14-dev, redis-server, nginx-light, wrk, perl, sqlite3, git; a missing one is named.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks import guard_detect, guard_work
from benchmarks.guard_detect import HEAPSTORY, NONE
from benchmarks.support.measure import RunError, geometric_mean, machine, revision
from benchmarks.support.page import table
from heapstory.folders import native_folder
from heapstory.guarding.run import LIBRARY
from heapstory.guarding.settings import MODES, Settings

REPOSITORY = Path(__file__).resolve().parent.parent
CLANG = "/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux"


def guarded(settings: Settings) -> dict[str, str]:
    return {
        "LD_PRELOAD": str(native_folder() / LIBRARY),
        "HEAPSTORY_GUARD": settings.as_text(),
        "HEAPSTORY_GUARD_REPORT": "/none/none",  # nothing is written: the run is measured
    }


def preload(library: str, package: str, **more: str) -> dict[str, str] | None:
    if Path(library).exists():
        return {"LD_PRELOAD": library, **more}
    print(f"{library} is missing (apt-get install {package})", file=sys.stderr)
    return None


def peers() -> dict[str, dict[str, str] | None]:
    """The environment of each; None: not installed, which is said."""
    debug = "/lib/x86_64-linux-gnu/libc_malloc_debug.so.0"
    jemalloc = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
    scudo = f"{CLANG}/libclang_rt.scudo_standalone-x86_64.so"
    duma = {"DUMA_DISABLE_BANNER": "1", "DUMA_OUTPUT_STDERR": "0"}
    return {
        "native": {},
        "light": guarded(MODES["light"]),
        "default": guarded(MODES["default"]),
        "thorough": guarded(MODES["thorough"]),
        "glibc check": preload(debug, "libc6", GLIBC_TUNABLES="glibc.malloc.check=3"),
        "jemalloc junk": preload(jemalloc, "libjemalloc2", MALLOC_CONF="junk:true"),
        "scudo": preload(scudo, "libclang-rt-14-dev"),
        "DUMA": preload("/usr/lib/libduma.so.0", "duma", **duma),
        "efence": preload("/usr/lib/libefence.so.0", "electric-fence", EF_DISABLE_BANNER="1"),
        "ASan": {guard_work.ASAN: "1"},
    }


def measure(
    environments: dict[str, dict[str, str] | None], args: argparse.Namespace
) -> dict[str, dict[str, tuple[float, int] | None]]:
    """Best CPU and memory of every program under every peer."""
    figures: dict[str, dict[str, tuple[float, int] | None]] = {}
    with tempfile.TemporaryDirectory() as work:
        for name, cost in guard_work.costs(Path(work), args.only):
            row = figures[name] = dict.fromkeys(environments)
            able = dict(environments)
            for _ in range(args.runs):
                for peer, environment in able.items():
                    if environment is None:
                        continue
                    try:
                        cpu, memory = cost(environment, args.limit)
                    except (RunError, TimeoutError, subprocess.SubprocessError) as error:
                        print(f"{name} under {peer}: {error}", file=sys.stderr)
                        able = {**able, peer: None}
                        continue
                    best = row[peer]
                    row[peer] = (min(cpu, best[0]), min(memory, best[1])) if best else (cpu, memory)
            print(f"{name} done", file=sys.stderr)
    return figures


def ratios(figures: dict[str, dict[str, tuple[float, int] | None]], which: int) -> str:
    """A table of × native; the mean leaves out what does nothing but allocate."""
    names = list(next(iter(figures.values())))
    rows = []
    for program, row in figures.items():
        native = row["native"]
        cells = [
            f"{row[n][which] / native[which]:.2f}" if native and row[n] else NONE for n in names
        ]  # type: ignore[index]
        unit = f"{native[0]:.2f} s" if which == 0 else f"{native[1] / 1024:.0f} MiB"
        rows.append([program, unit, *cells[1:]])
    means = []
    for column in range(2, len(names) + 1):
        cells = [row[column] for row in rows if row[0] not in guard_work.ALLOCATION_BOUND]
        mean = geometric_mean(float(c) for c in cells if c != NONE) if NONE not in cells else None
        means.append(NONE if mean is None else f"{mean:.2f}")
    return table(
        ["× native", "native", *names[1:]],
        [*rows, ["geometric mean without churn and threads", "", *means]],
    )


def cost(args: argparse.Namespace) -> None:
    figures = measure(peers(), args)
    print("CPU\n\n" + ratios(figures, 0) + "\nPeak memory\n\n" + ratios(figures, 1))


def checks(args: argparse.Namespace) -> None:
    """The default mode with one check less at a time; and blocks of its size without any."""
    with tempfile.TemporaryDirectory() as work:
        library = Path(work) / "padded.so"
        source = REPOSITORY / "benchmarks" / "programs" / "padded.c"
        words = ["gcc", "-O2", "-shared", "-fPIC", "-fno-builtin", source, "-o", library]
        subprocess.run(words, check=True)
        padded = {"24 bytes more per block": {"LD_PRELOAD": str(library)}}
        print(ratios(measure({**without_one(MODES["default"]), **padded}, args), 0))


def without_one(base: Settings) -> dict[str, dict[str, str] | None]:
    return {
        "native": {},
        "default": guarded(base),
        "no fill of new": guarded(replace(base, fill_new=0)),
        "no fill of freed": guarded(replace(base, fill_freed=0)),
        "no quarantine": guarded(replace(base, held_blocks=1, held_bytes=0)),
        "return address only": guarded(replace(base, frames=0)),
        "no leaks, no list": guarded(replace(base, leaks=0, live=0)),
        "fences and marks alone": guarded(Settings(0, 0, 1, 0, 0, leaks=0, live=0)),
    }


COUNTED = ("perl", "python", "sqlite3", "git", "churn")
_REFERENCES = re.compile(r"I\s+refs:\s+([0-9,]+)")


def instructions(args: argparse.Namespace) -> None:
    """Instructions, counted by cachegrind, of a part of the same work.

    Without the search at the end, which would go through the memory of Valgrind itself.
    """
    peer = {name: each for name, each in peers().items() if name in ("light", "glibc check")}
    kinds = {**without_one(replace(MODES["default"], leaks=0, live=0)), **peer}
    del kinds["no leaks, no list"]
    figures: dict[str, dict[str, tuple[float, int] | None]] = {}
    with tempfile.TemporaryDirectory() as work:
        for name, (words, source) in guard_work.programs(Path(work), args.share).items():
            if name in (args.only or COUNTED):
                counts = {kind: _counted(words, source, each) for kind, each in kinds.items()}
                figures[name] = {kind: (count / 1e9, 0) for kind, count in counts.items()}
                print(f"{name} done", file=sys.stderr)
    print(ratios(figures, 0).replace(" s |", " G |"))


def _counted(words: list[str], source: Path | None, environment: dict[str, str] | None) -> int:
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    said = subprocess.run([*counter, *words], env={**os.environ, **(environment or {})},
                          stdin=source.open() if source else subprocess.DEVNULL, check=True,
                          capture_output=True, text=True).stderr  # fmt: skip
    found = _REFERENCES.search(said)
    if not found:
        raise SystemExit(f"cachegrind counted nothing: {said}")
    return int(found[1].replace(",", ""))


def detect(args: argparse.Namespace) -> None:
    """What is noticed of each mistake: beside the peers, then in every build."""
    others = {name: each for name, each in peers().items() if name not in (*MODES, "ASan")}
    with tempfile.TemporaryDirectory() as work:
        print(guard_detect.beside_peers(Path(work), others))
        print(guard_detect.in_all_builds(Path(work)))


def latency(args: argparse.Namespace) -> None:
    """redis without pipelines: every request waits for its answer."""
    guard_work.require("redis", "redis-server")
    default = MODES["default"]
    kinds = {
        "native": {},
        "glibc": {"LD_PRELOAD": "/lib/x86_64-linux-gnu/libc.so.6"},
        "light": guarded(MODES["light"]),
        "default": guarded(default),
        "default, a scan each second": guarded(replace(default, scan_every=1000)),
    }
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for name, environment in kinds.items():
            best: dict[str, tuple[float, float]] = {}
            for _ in range(args.runs):
                _, _, said = guard_work.redis(environment, Path(work), 120, 1, 50_000)
                for command, row in said.items():
                    rate, p99 = float(row["rps"]), float(row["p99_latency_ms"])
                    before = best.get(command, (0.0, p99))
                    best[command] = (max(rate, before[0]), min(p99, before[1]))
            cells = [f"{rate / 1000:.1f} k/s, {p99:.2f} ms" for rate, p99 in best.values()]
            rows.append([name, *cells])
            header = ["requests, p99", *best]
    print(table(header, rows))


def soak(args: argparse.Namespace) -> None:
    """redis under load for minutes, a scan every ten seconds: no hang, no growth, no withdrawal."""
    guard_work.require("redis", "redis-server")
    with tempfile.TemporaryDirectory() as work:
        answer = Path(work) / "answer.json"
        words = [HEAPSTORY, "guard", "--scan-every", "10", "--json", answer, "--", "redis-server"]
        words += ["--port", str(guard_work.REDIS_PORT), "--save", "", "--dir", work]
        server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        guard_work.await_redis(60)
        resident, end = [], time.monotonic() + 60 * args.minutes
        while time.monotonic() < end:
            load = guard_work.client(8, 100_000)
            subprocess.run(load, capture_output=True, check=True, timeout=600)
            info = subprocess.run(["redis-cli", "-p", str(guard_work.REDIS_PORT), "info", "memory"],
                                  capture_output=True, text=True, check=True).stdout  # fmt: skip
            used = next(line for line in info.splitlines() if line.startswith("used_memory_rss:"))
            resident.append(int(used.partition(":")[2]) / 2**20)
            subprocess.run(["redis-cli", "-p", str(guard_work.REDIS_PORT), "flushall"], check=True,
                           capture_output=True)  # fmt: skip
        subprocess.run(["redis-cli", "-p", str(guard_work.REDIS_PORT), "shutdown", "nosave"])
        status = server.wait(120)
        found = json.loads(answer.read_text())
    scans = found["scans"]
    pauses = sorted(scan["pause"] for scan in scans)
    cpu = sum(scan["cpu"] for scan in scans) / 1e6
    print(
        f"status {status}, {len(resident)} rounds; resident {resident[0]:.0f} MiB after the first, "
        f"{resident[len(resident) // 2]:.0f} halfway, {resident[-1]:.0f} at the end\n"
        f"{len(scans)} scans, pause {pauses[len(pauses) // 2] / 1000:.1f} ms in the middle, "
        f"{pauses[-1] / 1000:.1f} at most; {cpu:.1f} s of CPU\n"
        f"certain: {sum(scan['certain'] for scan in scans)}, withdrawn: {scans[-1]['withdrawn']}, "
        f"findings: {len(found['findings'])}"
    )
    for each in found["findings"]:
        print(json.dumps(each))


CHOICES = {"cost": cost, "checks": checks, "instructions": instructions, "latency": latency,
           "detect": detect, "soak": soak}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="What the guard costs and finds.")
    parser.add_argument("what", choices=list(CHOICES))
    parser.add_argument("--only", action="append", metavar="NAME", help="this program (repeatable)")
    parser.add_argument("--runs", type=int, default=3, help="of each, the best counts (default 3)")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--minutes", type=float, default=10, help="of soak (default 10)")
    parser.add_argument("--share", type=float, default=0.05, help="of the work for instructions")
    args = parser.parse_args()
    print(f"{machine()}, {revision(REPOSITORY)}\n", file=sys.stderr)
    print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    CHOICES[args.what](args)
    print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)


if __name__ == "__main__":
    main()
