#!/usr/bin/env python3
"""What ``heapstory guard`` costs and finds, beside other allocators that check.

    python3 -m benchmarks.guard cost                 CPU and memory, tables on stdout
    python3 -m benchmarks.guard cost --only perl --runs 3
    python3 -m benchmarks.guard checks               what each check of the guard costs by itself
    python3 -m benchmarks.guard detect               the mistakes in tests/guarding/programs

CPU is that of the program alone, as the kernel counts it; the best of the runs counts. Peers run in
turn, so drift hits all alike. A peer that is not installed or cannot run a program has no figure.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.support.measure import RunError, geometric_mean, machine, revision, run
from benchmarks.support.page import table
from heapstory.guarding.run import LIBRARY
from heapstory.guarding.settings import MODES, Settings
from heapstory.recording.engine import native_folder

REPOSITORY = Path(__file__).resolve().parent.parent
NONE = "–"
CLANG = "/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux"
PORT = 17379

PERL = """my %h; for my $i (1 .. 600000) { $h{"key $i"} = [$i, "value $i"];
delete $h{"key " . ($i - 1000)} if $i % 3 == 0 } my $s = 0; $s += $h{$_}[0] for sort keys %h;
print "$s\\n";"""
PYTHON = """import json
rows = [{"id": i, "name": str(i * 7), "tags": [i, str(i)]} for i in range(60000)]
text = json.dumps(rows)
print(sum(len(row["tags"]) for row in json.loads(text)), len(text))"""
SQL = """CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, value INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
INSERT INTO t SELECT i, 'name ' || (i * 7919 % 300007), i % 1000 FROM n;
CREATE INDEX by_name ON t (name);
SELECT count(*), sum(value) FROM t WHERE name > 'name 2';
SELECT value, group_concat(substr(name, 6, 2)) FROM t GROUP BY value ORDER BY value LIMIT 1;"""
CHURN = """#include <stdlib.h>
#include <string.h>
int main(void) {
    enum { N = 4096 };
    static char *slots[N];
    unsigned state = 1;
    for (long i = 0; i < 10000000; i++) {
        state = state * 1664525u + 1013904223u;
        unsigned k = (state >> 8) % N;
        free(slots[k]);
        size_t size = 16 + (state >> 20) % 112;
        slots[k] = malloc(size);
        memset(slots[k], 1, size);
    }
    return 0;
}
"""

Command = tuple[list[str], Path | None]  # words, standard input


def guarded(settings: Settings) -> dict[str, str]:
    return {
        "LD_PRELOAD": str(native_folder() / LIBRARY),
        "HEAPSTORY_GUARD": settings.as_text(),
        "HEAPSTORY_GUARD_REPORT": "/dev/null/none",  # nothing is written: the run is measured
    }


def preload(library: str, **more: str) -> dict[str, str] | None:
    return {"LD_PRELOAD": library, **more} if Path(library).exists() else None


def peers() -> dict[str, dict[str, str] | None]:
    """The environment of each; None: not installed."""
    debug = "/lib/x86_64-linux-gnu/libc_malloc_debug.so.0"
    duma = {"DUMA_DISABLE_BANNER": "1", "DUMA_OUTPUT_STDERR": "0"}
    return {
        "native": {},
        "light": guarded(MODES["light"]),
        "default": guarded(MODES["default"]),
        "thorough": guarded(MODES["thorough"]),
        "glibc check": preload(debug, GLIBC_TUNABLES="glibc.malloc.check=3"),
        "jemalloc junk": preload(
            "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", MALLOC_CONF="junk:true"
        ),
        "scudo": preload(f"{CLANG}/libclang_rt.scudo_standalone-x86_64.so"),
        "DUMA": preload("/usr/lib/libduma.so.0", **duma),
        "efence": preload("/usr/lib/libefence.so.0", EF_DISABLE_BANNER="1"),
    }


def programs(folder: Path) -> dict[str, Command]:
    (folder / "churn.c").write_text(CHURN)
    subprocess.run(["gcc", "-O2", "-o", folder / "churn", folder / "churn.c"], check=True)
    (folder / "work.sql").write_text(SQL)
    text = folder / "text"
    with text.open("w") as file:  # piece by piece: a child's peak is at least its parent's memory
        file.writelines(f"{i * 7919 % 100003} line {i}\n" for i in range(1_500_000))
    return {
        "perl": (["/usr/bin/perl", "-e", PERL], None),
        "python": (["/usr/bin/python3", "-c", PYTHON], None),
        "sqlite3": (["/usr/bin/sqlite3", ":memory:"], folder / "work.sql"),
        "git": (["/usr/bin/git", "-C", str(REPOSITORY), "log", "--stat", "-n", "400"], None),
        "gzip": (["/usr/bin/gzip", "-c", str(text)], None),
        "churn": ([str(folder / "churn")], None),
    }


def redis(environment: dict[str, str], folder: Path, limit: float) -> tuple[float, int]:
    """CPU and memory of a server that answers redis-benchmark."""
    words = ["redis-server", "--port", str(PORT), "--save", "", "--dir", str(folder)]
    with (folder / "redis").open("wb") as log:
        server = subprocess.Popen(words, env={**os.environ, **environment}, stdout=log, stderr=log)
    client = ["redis-benchmark", "-p", str(PORT), "-q", "-n", "100000", "-P", "8", "-r", "50000"]
    client += ["-d", "100", "-t", "set,get,lpush,lpop,sadd,hset"]
    try:
        _await_server(limit)
        subprocess.run(client, capture_output=True, check=True, timeout=limit)
    finally:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(["redis-cli", "-p", str(PORT), "shutdown", "nosave"],
                           capture_output=True, timeout=limit)  # fmt: skip
        _, _, usage = os.wait4(server.pid, 0)
        server.returncode = 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def _await_server(limit: float) -> None:
    end = time.monotonic() + limit
    while subprocess.run(["redis-cli", "-p", str(PORT), "ping"], capture_output=True).returncode:
        if time.monotonic() > end:
            raise TimeoutError("redis-server does not answer")
        time.sleep(0.1)


Cost = Callable[[dict[str, str], float], tuple[float, int]]  # environment, limit: CPU, KiB


def costs(folder: Path, only: list[str] | None) -> Iterator[tuple[str, Cost]]:
    for name, (words, source) in programs(folder).items():
        if (only and name not in only) or not shutil.which(words[0]):
            continue

        def cost(
            environment: dict[str, str],
            limit: float,
            words: list[str] = words,
            source: Path | None = source,
        ) -> tuple[float, int]:
            done = run(words, folder / "run", environment, source, limit=limit)
            return done.cpu, done.peak_kib

        yield name, cost
    if (not only or "redis" in only) and shutil.which("redis-server"):
        yield "redis", lambda environment, limit: redis(environment, folder, limit)


def measure(
    environments: dict[str, dict[str, str] | None], args: argparse.Namespace
) -> dict[str, dict[str, tuple[float, int] | None]]:
    """Best CPU and memory of every program under every peer."""
    figures: dict[str, dict[str, tuple[float, int] | None]] = {}
    with tempfile.TemporaryDirectory() as work:
        for name, cost in costs(Path(work), args.only):
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
    """A table of × native; the mean leaves out ``churn``, which does nothing but allocate."""
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
        cells = [row[column] for row in rows if row[0] != "churn"]
        mean = geometric_mean(float(c) for c in cells if c != NONE) if NONE not in cells else None
        means.append(NONE if mean is None else f"{mean:.2f}")
    return table(
        ["× native", "native", *names[1:]], [*rows, ["geometric mean without churn", "", *means]]
    )


def cost(args: argparse.Namespace) -> None:
    figures = measure(peers(), args)
    print("CPU\n\n" + ratios(figures, 0) + "\nPeak memory\n\n" + ratios(figures, 1))


def checks(args: argparse.Namespace) -> None:
    """The default mode with one check less or more at a time."""
    base = MODES["default"]
    kinds = {
        "native": {},
        "default": guarded(base),
        "no fill of new": guarded(replace(base, fill_new=0)),
        "no fill of freed": guarded(replace(base, fill_freed=0)),
        "no quarantine": guarded(replace(base, held_blocks=0)),
        "return address only": guarded(replace(base, frames=0)),
        "no leaks, no list": guarded(replace(base, leaks=0, live=0)),
        "fences and marks alone": guarded(Settings(0, 0, 0, 0, 0, leaks=0, live=0)),
    }
    print(ratios(measure(kinds, args), 0))


MISTAKES = ("double-free", "inside", "stack", "global", "bad-realloc", "overrun", "underrun",
            "still-live", "grown", "after-free", "uninitialised", "used-after-free")  # fmt: skip
GOES_ON = 3  # the exit status of errors.c at its end


def detect(args: argparse.Namespace) -> None:
    """Whether each mistake is noticed, its line named, and whether the program goes on."""
    source = REPOSITORY / "tests/guarding/programs/errors.c"
    rows = []
    with tempfile.TemporaryDirectory() as work:
        program = Path(work) / "errors"
        subprocess.run(["gcc", "-g", "-O1", "-w", "-o", program, source], check=True)
        ours = ("light", "default", "thorough")
        others = {name: each for name, each in peers().items() if name not in ours}
        # Who complains of a program without a mistake finds nothing by complaining.
        for name, environment in others.items():
            if environment is not None and _ended(program, "none", environment) != (GOES_ON, False):
                print(f"{name} cannot run a program without a mistake", file=sys.stderr)
                others[name] = None
        for mistake in MISTAKES:
            cells = [_guard_finds(program, source, mistake)]
            cells += [_peer_finds(program, mistake, e) for e in others.values()]
            rows.append([mistake, *cells])
    print(table(["mistake", "guard", *others], rows))


def _guard_finds(program: Path, source: Path, mistake: str) -> str:
    heapstory, answer = Path(sys.executable).with_name("heapstory"), program.with_name("answer")
    words = [heapstory, "guard", "--json", answer, "--", program, mistake]
    done = subprocess.run(words, capture_output=True, timeout=60)
    found = [each for each in json.loads(answer.read_text())["findings"] if each["kind"] != "leak"]
    if not found:
        return NONE
    remark = "/* made here */" if mistake == "still-live" else f"/* {mistake} */"
    lines = source.read_text().splitlines()
    named = [place and lines[place["line"] - 1] for place in (each["place"] for each in found)]
    right = "line" if any(line and remark in line for line in named) else "noticed"
    return f"{right}, goes on" if done.returncode == GOES_ON else right


def _peer_finds(program: Path, mistake: str, environment: dict[str, str] | None) -> str:
    if environment is None:
        return NONE
    status, said = _ended(program, mistake, environment)
    if status == GOES_ON:
        return "noticed, goes on" if said else NONE
    return "stops"


def _ended(program: Path, mistake: str, environment: dict[str, str]) -> tuple[int, bool]:
    """The exit status, and whether anything was said on stderr."""
    try:
        done = subprocess.run([program, mistake], env={**os.environ, **environment},
                              capture_output=True, timeout=30)  # fmt: skip
    except subprocess.TimeoutExpired:
        return -1, False
    return done.returncode, bool(done.stderr.strip())


def main() -> None:
    parser = argparse.ArgumentParser(description="What the guard costs and finds.")
    parser.add_argument("what", choices=["cost", "checks", "detect"])
    parser.add_argument("--only", action="append", metavar="NAME", help="this program (repeatable)")
    parser.add_argument("--runs", type=int, default=3, help="of each, the best counts (default 3)")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS")
    args = parser.parse_args()
    print(f"{machine()}, {revision(REPOSITORY)}\n", file=sys.stderr)
    {"cost": cost, "checks": checks, "detect": detect}[args.what](args)


if __name__ == "__main__":
    main()
