#!/usr/bin/env python3
"""What ``heapstory check`` costs, beside native runs, Valgrind's null tool and Memcheck.

    python3 -m benchmarks.check                       all programs, tables on stdout
    python3 -m benchmarks.check --only perl --runs 3
    python3 -m benchmarks.check --recorded            also the recording benchmark's programs
    python3 -m benchmarks.check --ablation            what each optimisation is worth, too
    python3 -m benchmarks.check --markdown            also into docs/evaluation/check.md

CPU is that of the whole process tree (collector and reading the trace included), as the kernel
counts it; the best of the runs counts. Peers run in turn, so drift hits all alike. The load of the
machine stands beside the figures: on a crowded one only ratios mean something. Wall time is given
as well, since the collector works beside the program, and that of recording without checking, since
``--record`` cannot cost less.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.programs import catalog
from benchmarks.programs.catalog import Program, Workshop
from benchmarks.support.measure import Run, RunError, geometric_mean, machine, revision, run
from benchmarks.support.page import put, table

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "check.md"
HEAPSTORY = str(Path(sys.executable).with_name("heapstory"))
PEERS = {
    "native": [],
    "none": ["valgrind", "-q", "--tool=none"],
    "memcheck": ["valgrind", "-q", "--leak-check=full"],
    "memcheck, no values": ["valgrind", "-q", "--leak-check=full", "--undef-value-errors=no"],
    "check": [HEAPSTORY, "check", "--"],
    "check --light": [HEAPSTORY, "check", "--light", "--"],
    "check --record": [HEAPSTORY, "check", "--record", "TRACE", "--force", "--"],
    "record": [HEAPSTORY, "record", "-o", "TRACE", "--force", "--"],
}
# Ours, and whom each is compared with.
PAIRS = [("check", "memcheck"), ("check --light", "memcheck"),
         ("check --light", "memcheck, no values"), ("check --record", "memcheck"),
         ("record", "memcheck")]  # fmt: skip
ABLATION = {
    "all of it": [],
    "without shared tests": ["--without", "shared-tests"],
    "without the stack inline": ["--without", "inline-stack"],
    "without special pages": ["--without", "special-pages"],
    "with PUTs that nobody sees": ["--without", "dropped-puts"],
}
START = "start-up"

PERL = """
my (%h, $n); my $x = 12345;
for my $i (1 .. ROUNDS) {
    $x = ($x * 1103515245 + 12345) % 2147483648;
    $h{"k" . ($x % 5000)} .= "v$i";
    delete $h{"k" . ($x % 5000)} if $i % 7 == 0;
}
for my $k (sort keys %h) { $n += length $h{$k}; $n++ if $h{$k} =~ /v(\\d+)9v/; }
print "$n\\n";
"""
# Small blocks that come and go, and little else.
CHURN = """
#include <stdio.h>
#include <stdlib.h>

struct node { struct node *next; long value; };

int main(int argc, char **argv) {
    struct node *lists[1024] = {0};
    unsigned long x = 1, sum = 0;
    for (long i = 0; i < atol(argv[1]); i++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        struct node **list = &lists[x >> 54], *node = *list;
        if (node && x >> 33 & 1) {
            *list = node->next;
            sum += node->value;
            free(node);
        } else {
            node = malloc(sizeof *node + (x >> 40 & 63));
            *node = (struct node){*list, i};
            *list = node;
        }
    }
    for (int i = 0; i < 1024; i++)
        for (struct node *node = lists[i], *next; node; node = next) {
            next = node->next;
            free(node);
        }
    printf("%lu\\n", sum);
}
"""
PYTHON = """
import io, tokenize, argparse
text = open(argparse.__file__).read()
for _ in range(ROUNDS):
    n = sum(1 for _ in tokenize.generate_tokens(io.StringIO(text).readline))
print(n)
"""
AWK = "{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) s += n[w] * length(w); print s }"
SQL = """
CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ROUNDS)
INSERT INTO t SELECT i, 'row ' || (i * 7919 % 1000), i * 0.5 FROM n;
CREATE INDEX tb ON t (b);
SELECT b, count(*), sum(c) FROM t GROUP BY b ORDER BY 3 DESC LIMIT 5;
"""


def programs(folder: Path, scale: float) -> list[Program]:
    """The programs of this page alone, with inputs of a size."""
    text = (folder / "text").absolute()
    source = Path(sys.executable).resolve()
    text.write_bytes(source.read_bytes()[: int(4_000_000 * scale)])
    words = (folder / "words").absolute()
    words.write_text(
        "\n".join(f"w{i * 7919 % 5003} x{i % 97}" for i in range(int(400_000 * scale)))
    )
    (folder / "churn.c").write_text(CHURN)
    churn = folder / "churn"
    subprocess.run(["gcc", "-O2", "-o", churn, folder / "churn.c"], check=True)
    preprocessed: list[str | Path] = ["gcc", "-E", "-o", folder / "churn.i", folder / "churn.c"]
    subprocess.run(preprocessed, check=True)
    cc1 = subprocess.check_output(["gcc", "-print-prog-name=cc1"], text=True).strip()
    perl = PERL.replace("ROUNDS", str(int(300_000 * scale)))
    sql = SQL.replace("ROUNDS", str(int(40_000 * scale)))
    found = [
        Program("bzip2", "", "4 MB of machine code", ["bzip2", "-kc", str(text)]),
        Program("perl", "", "a hash of strings, 300,000 changes", ["perl", "-e", perl]),
        Program("sqlite3", "", "40,000 rows, an index, a sum", ["sqlite3", ":memory:", sql]),
        Program(
            "churn", "", "2 million blocks", [str(folder / "churn"), str(int(2_000_000 * scale))]
        ),
        Program(
            "python3",
            "",
            "tokens of a module, twice",
            [str(source), "-c", PYTHON.replace("ROUNDS", str(max(1, int(2 * scale))))],
        ),
        Program(
            "cc1",
            "",
            "an assembly of churn.c",
            [cc1, "-quiet", "-O2", str(folder / "churn.i"), "-o", "/dev/null"],
        ),
        Program("gzip", "", "4 MB of machine code", ["gzip", "-c", str(text)]),
        Program("awk", "", "words of a text, counted", ["awk", AWK, str(words)]),
    ]
    for program in found:
        if not shutil.which(program.command[0]):
            raise RunError(f"{program.command[0]} is not installed")
    return found


def recorded(folder: Path, quick: bool) -> Iterator[Program]:
    """Those of the recording benchmark, without its longest."""
    shop = Workshop(REPOSITORY / "build" / "bench", folder, quick)
    for name, make in catalog.PROGRAMS.items():
        if name != "sqlite3":
            program = make(shop)
            yield replace(program, name=f"{program.name} (recorded)")


def measure(program: Program, runs: int, folder: Path) -> dict[str, Run]:
    """The best run of each peer; all must write the same."""
    best: dict[str, Run] = {}
    for _ in range(runs):
        for peer, words in PEERS.items():
            words = [str(folder / "trace.story") if word == "TRACE" else word for word in words]
            done = run(
                [*words, *program.command],
                folder,
                program.environment,
                statuses=program.statuses,
                limit=600,
            )
            if best and done.output != next(iter(best.values())).output:
                raise RunError(f"{program.name} wrote different output under {peer}")
            if peer not in best or done.cpu < best[peer].cpu:
                best[peer] = done
        print(f"{time.strftime('%H:%M:%S')} {program.name}: "
              + ", ".join(f"{peer} {one.cpu:.2f} s" for peer, one in best.items()),
              file=sys.stderr, flush=True)  # fmt: skip
    return best


def rendered(start: dict[str, Run], found: dict[str, dict[str, Run]]) -> str:
    """Seconds of CPU, memory, and how much quicker than Memcheck, start-up subtracted."""
    rows = [
        [name, *(f"{best[peer].cpu:.2f}" for peer in PEERS)]
        for name, best in {START: start, **found}.items()
    ]
    seconds = table(["CPU seconds", *PEERS], rows)
    memory = table(
        ["peak MiB", *PEERS],
        [[name, *(f"{best[peer].peak_kib / 1024:.0f}" for peer in PEERS)]
         for name, best in found.items()],
    )  # fmt: skip
    by_cpu = _quicker("times as fast, CPU", start, found, lambda done: done.cpu)
    by_wall = _quicker("times as fast, wall", start, found, lambda done: done.wall)
    return f"{seconds}\n\n{by_cpu}\n\n{by_wall}\n\n{memory}"


def _quicker(
    title: str,
    start: dict[str, Run],
    found: dict[str, dict[str, Run]],
    cost: Callable[[Run], float],
) -> str:
    ratios = {
        name: [(cost(best[rival]) - cost(start[rival])) / (cost(best[ours]) - cost(start[ours]))
               for ours, rival in PAIRS]
        for name, best in found.items()
    }  # fmt: skip
    lines = [[name, *(f"{ratio:.2f}" for ratio in row)] for name, row in ratios.items()]
    means = [geometric_mean(row[i] for row in ratios.values()) or 0 for i in range(len(PAIRS))]
    lines.append(["geometric mean", *(f"{mean:.2f}" for mean in means)])
    return table([title, *(f"{ours} : {rival}" for ours, rival in PAIRS)], lines)


def ablation(chosen: list[Program], runs: int, folder: Path) -> str:
    """CPU without an optimisation, as a multiple of that with all of them."""
    best: dict[tuple[str, str], float] = {}
    for _ in range(runs):
        for program in chosen:
            for name, options in ABLATION.items():
                words = [HEAPSTORY, "check", *options, "--", *program.command]
                cpu = run(words, folder, limit=600).cpu
                key = (program.name, name)
                best[key] = min(cpu, best.get(key, cpu))
    rows = [
        [name, *(f"{best[program.name, name] / best[program.name, 'all of it']:.2f}"
                 for program in chosen)]
        for name in list(ABLATION)[1:]
    ]  # fmt: skip
    return table(["CPU, all of it is 1", *(program.name for program in chosen)], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="this program alone")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, the best counts")
    parser.add_argument("--scale", type=float, default=1, help="size of the inputs")
    parser.add_argument("--recorded", action="store_true",
                        help="also those of the recording benchmark")  # fmt: skip
    parser.add_argument("--ablation", action="store_true", help="what each optimisation is worth")
    parser.add_argument("--markdown", action="store_true", help=f"write the tables into {PAGE}")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="heapstory-bench-") as name:
        folder = Path(name)
        all_of_them = programs(folder, options.scale)
        if options.recorded:
            all_of_them += recorded(folder, options.scale < 1)
        chosen = [one for one in all_of_them if one.name in (options.only or one.name)]
        start = measure(Program(START, "", "true", ["true"]), options.runs, folder / "runs")
        found = {one.name: measure(one, options.runs, folder / "runs") for one in chosen}
        worth = ablation(chosen, options.runs, folder / "runs") if options.ablation else ""
    head = (
        f"Taken {time.strftime('%Y-%m-%d')} at {revision(REPOSITORY)}, best of {options.runs}, "
        f"inputs × {options.scale:g}, load of the machine {load:.1f} at the start and "
        f"{os.getloadavg()[0]:.1f} at the end; {machine()}."
    )
    text = f"{head}\n\n{rendered(start, found)}" + (f"\n\n{worth}" if worth else "")
    print(text)
    if options.markdown:
        put(PAGE, "figures", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
