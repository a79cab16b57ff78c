"""Figures for ``heapstory prove``: ``python -m benchmarks.prove WHAT``, see ``--help``.

Times are processor time. Prints Markdown tables; docs/evaluation/prove.md holds what was measured.
"""

from __future__ import annotations

import argparse
import collections
import json
import tempfile
import time
from pathlib import Path

from heapstory.errors import SpecificationError
from heapstory.linear.budget import Budget
from heapstory.linear.language.syntax import Specification
from heapstory.linear.program.load import load, parse
from heapstory.linear.states.exhaustive import Checker
from heapstory.linear.verdict.judge import judge
from heapstory.linear.verdict.report import Options, Report
from tests.linear.independent.explorer import Explorer, TooMany
from tests.linear.independent.generate import specification as written
from tests.linear.mutants import MUTANTS, mutated
from tests.linear.random_specifications import specification
from tests.linear.recorded import METHODS, recorded

ROOT = Path(__file__).parents[1]
WHAT = ("structures", "sources", "mutants", "fuzz", "proofs", "history", "aba")
EXAMPLES = ROOT / "examples" / "linear"
# in the order of Table 6.1, with its number of sub-operations and Table 6.2's milliseconds
STRUCTURES = [
    ("ms_queue", 4, 5),
    ("ms_two_lock_queue", 11, 9),
    ("dglm_queue", 4, 5),
    ("herlihy_wing_queue", 5, 3),
    ("treiber_stack", 5, 3),
    ("elimination_stack", 20, 14),
    ("timestamped_stack", 10, 8),
    ("hhlmss_lazy_set", 23, 29),
    ("vy_cas_set", 20, 23),
    ("vy_dcas_set", 19, 23),
    ("orvyy_set", 15, 19),
    ("pair_snapshot", 5, 3),
    ("rdcss", 5, 4),
]


def structures(args: argparse.Namespace) -> None:
    """Algorithm 6, the bounded verdict and the proof of each structure."""
    print("| structure | sub-ops (thesis) | steps | Algorithm 6 | ms (thesis) ", end="")
    print("| bounded | s | verdict | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, subops, thesis in STRUCTURES:
        path = EXAMPLES / args.folder / f"{name}.lin"
        if (args.only and name not in args.only.split(",")) or not path.exists():
            continue
        spec = load(path)
        bounded = Options(bound=3, proof=False, timeout=args.timeout)
        quick, quickly = timed(spec, bounded, args.repeat)
        slow, slowly = timed(spec, Options(timeout=args.timeout), args.repeat)
        count = sum(len(o.steps) for o in spec.operations)
        assert quick.normal is not None and quick.algorithm6 is not None
        steps = sum(len(p.steps) for p in quick.normal.paths)
        six = quick.algorithm6
        print(
            f"| {name} | {count} ({subops}) | {steps} | {'yes' if six.passes else 'no'} "
            f"| {six.milliseconds:.1f} ({thesis}) | {quick.verdict} N={quick.bound} "
            f"| {quickly:.2f} | {slow.verdict} | {slowly:.1f} |",
            flush=True,
        )


def timed(spec: Specification, options: Options, repeat: int) -> tuple[Report, float]:
    """A verdict, and the least processor time it took: others may be busy on the machine."""
    best = float("inf")
    for _ in range(repeat):
        begin = time.process_time()
        report = judge(spec, options)
        best = min(best, time.process_time() - begin)
    return report, best


def sources(args: argparse.Namespace) -> None:
    """Specifications extracted from C: the bounded verdict, and the one with a proof."""
    from heapstory.linear.c.extract import extract

    print("| source | steps | bounded | s | verdict | by | s |\n|---|---|---|---|---|---|---|")
    for path in sorted((EXAMPLES / "c").glob("*.c")):
        if args.only and path.stem not in args.only.split(","):
            continue
        spec = extract(str(path), None, None, None).spec
        assert spec is not None
        bounded = Options(bound=3, proof=False, timeout=args.timeout)
        quick, quickly = timed(spec, bounded, args.repeat)
        slow, slowly = timed(spec, Options(timeout=args.timeout, c=True), args.repeat)
        count = sum(len(o.steps) for o in spec.operations)
        print(
            f"| {path.name} | {count} | {quick.verdict} N={quick.bound} | {quickly:.1f} "
            f"| {slow.verdict} | {slow.method} | {slowly:.1f} |",
            flush=True,
        )
        for note in slow.notes:
            print(f"<!-- {note} -->")


def mutants(args: argparse.Namespace) -> None:
    """Verdicts of the mutants, each confirmed by the exhaustive checker."""
    wrong = 0
    print("| structure | mutant | verdict | N | operations | s |\n|---|---|---|---|---|---|")
    for name, what, old, new, expected, bound in MUTANTS:
        if args.only and name not in args.only.split(","):
            continue
        spec = parse(mutated(name, old, new), name)
        begin = time.process_time()
        report = judge(spec, Options(bound=bound, proof=False, timeout=args.timeout))
        spent = time.process_time() - begin
        search = report.search or Checker(spec).search(bound, Budget(args.timeout))
        agree = (search.trail is not None) == (report.verdict == "not-linearizable")
        good = report.verdict == expected and agree
        wrong += not good
        used = len({a.instance for a in search.trail}) if search.trail else "-"
        mark = "" if good else " **unexpected**"
        print(
            f"| {name} | {what} | {report.verdict}{mark} | {bound} | {used} | {spent:.1f} |",
            flush=True,
        )
    print(f"\n{wrong} unexpected")


def fuzz(args: argparse.Namespace) -> None:
    """Random specifications of all constructs: the explorer against one that shares nothing with
    it."""
    count: collections.Counter[str] = collections.Counter()
    begin = time.process_time()
    for seed in range(args.first, args.first + args.count):
        bound, keys, reuse = (3, 1, False) if seed % 10 == 0 else (2, 2, seed % 2 == 0)
        text = written(seed)
        try:
            spec = parse(text)
            other = Explorer(text, bound, keys, reuse, most=4_000)
            search = Checker(spec, keys, reuse).search(bound, Budget(20, 20_000))
        except SpecificationError:
            count["no shared step"] += 1
            continue
        except TooMany:
            count["too large"] += 1
            continue
        right = other.wrong is None
        count["linearizable" if right else "not linearizable"] += 1
        count["WRONGLY accepted"] += search.complete and search.trail is None and not right
        count["WRONGLY refuted"] += search.trail is not None and right
        if search.complete and (search.trail is None) != right:
            print(f"seed {seed}: the two disagree", flush=True)
    print(json.dumps(dict(count)), f"{time.process_time() - begin:.0f} s of processor time")


def proofs(args: argparse.Namespace) -> None:
    """Random specifications: is what the proof rules accept right, straight away, two operations
    deeper than two?"""
    from heapstory.linear.verdict.rules import attempt

    count: collections.Counter[str] = collections.Counter()
    begin = time.process_time()
    for seed in range(args.first, args.first + args.count):
        try:
            spec = parse(written(seed) if seed % 2 else specification(seed))
        except SpecificationError:
            continue
        report = Report("", "", "bounded-ok")
        attempt(spec, Options(), Budget(20), report)
        search = Checker(spec, 3).search(4, Budget(20, 200_000))
        if not search.complete:
            search = Checker(spec).search(3, Budget(20, 200_000))
        right = search.trail is None
        count["linearizable" if right else "not linearizable"] += 1
        count[f"{'' if right else 'WRONGLY '}proved"] += report.verdict == "proved"
        if report.verdict == "proved" and not right:
            print(f"seed {seed} is wrongly proved", flush=True)
    print(json.dumps(dict(count)), f"{time.process_time() - begin:.0f} s of processor time")


def history(args: argparse.Namespace) -> None:
    """Recorded histories of a million operations."""
    from heapstory.linear.history.judge import judge_file

    print("| history | operations | verdict | s |\n|---|---|---|---|")
    for kind in args.only.split(",") if args.only else METHODS:
        best = float("inf")
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            for call in recorded(args.count or 1_000_000, kind):
                file.write(json.dumps(call) + "\n")
            file.flush()
            for _ in range(args.repeat):
                begin = time.process_time()
                judged = judge_file(file.name, kind, args.timeout)
                best = min(best, time.process_time() - begin)
        print(f"| {kind} | {judged.operations} | {judged.verdict} | {best:.2f} |")


def aba(args: argparse.Namespace) -> None:
    """Treiber's stack with memory reuse."""
    spec = load(EXAMPLES / "treiber_stack.lin")
    best = float("inf")
    for _ in range(args.repeat):
        begin = time.process_time()
        found = Checker(spec, reuse=True).search(7, Budget(args.timeout))
        best = min(best, time.process_time() - begin)
    assert found.trail is not None
    operations = len({a.instance for a in found.trail})
    print(f"ABA found: {operations} operations, {found.states} states, {best:.2f} s")
    for name, count in (("treiber_stack", 6), ("ms_queue", 4), ("hhlmss_lazy_set", 3)):
        begin = time.process_time()
        found = Checker(load(EXAMPLES / f"{name}.lin")).search(count, Budget(args.timeout), count)
        spent = time.process_time() - begin
        print(f"{name}, {count} operations: {found.states} states, {spent:.2f} s")


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("--only", help="names, with commas")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--repeat", type=int, default=1, help="the best of so many")
    parser.add_argument("--folder", default="", help="of examples/linear, for structures")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=0)
    args = parser.parse_args()
    args.count = args.count or {"fuzz": 3_000, "proofs": 500}.get(args.what, 0)
    globals()[args.what](args)


if __name__ == "__main__":
    main()
