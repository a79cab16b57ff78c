"""From a C or C++ file to a verdict, by trying all interleavings of calls of its functions."""

from __future__ import annotations

from dataclasses import dataclass

from heapstory.errors import UsageError
from heapstory.linear.budget import Budget
from heapstory.linear.ir import roles
from heapstory.linear.ir.harness import INSERT, Harness
from heapstory.linear.ir.judge import CannotTell, Faulty, Judge, OtherType, Outcome
from heapstory.linear.ir.roles import operations_of


@dataclass(frozen=True)
class Wanted:
    """What is asked of a file. ``one_thread``: functions that only one thread calls, in groups."""

    path: str
    options: tuple[str, ...] = ()
    struct: str | None = None
    functions: str | None = None
    implements: str | None = None
    one_thread: tuple[str, ...] = ()
    keys: int = 2
    calls: int | None = None  # at most


def judge_source(wanted: Wanted, budget: Budget) -> Outcome:
    """The verdict; always ends by the time limit."""
    try:
        judge = _judge(wanted, budget, cleared=False)
    except CannotTell as reason:
        if "never written" not in str(reason):
            return _undecided(reason)
        try:
            judge = _judge(wanted, budget, cleared=True)
        except CannotTell as second:
            return _undecided(second)
    outcome = judge.run(wanted.calls)
    outcome.notes += _assumed(judge)
    if outcome.verdict == "not-linearizable":
        outcome.notes += _weaker(judge, outcome)
    return outcome


def _undecided(reason: CannotTell) -> Outcome:
    alone = isinstance(reason, OtherType) or (isinstance(reason, Faulty) and reason.known)
    return Outcome("unknown", str(reason), other_type=alone)


def _judge(wanted: Wanted, budget: Budget, cleared: bool) -> Judge:
    module, chosen = operations_of(wanted.path, wanted.options, wanted.functions, wanted.implements)
    harness = Harness(module, chosen, wanted.struct, cleared)
    for number, group in enumerate(wanted.one_thread):
        reserve(harness, number, group)
    return Judge(harness, wanted.keys, budget)


def reserve(harness: Harness, number: int, group: str) -> None:
    """Let only one thread call some functions."""
    names = group.split(",")
    known = {o.name: o for o in harness.operations}
    for name in names:
        if name not in known:
            raise UsageError(
                f"{harness.module.path}: no operation '{name}' (has: {', '.join(known)})"
            )
        known[name].role = number


def _assumed(judge: Judge) -> list[str]:
    """What was taken for granted."""
    harness = judge.harness
    methods = ", ".join(f"{f.name} is {m}" for m, f in harness.chosen.methods.items())
    found = [f"taken for a {harness.chosen.kind}: {methods}"]
    found += [
        f"'{n}' is taken for the number of the thread"
        for n in sorted(harness.module.library.assumed)
    ]
    if harness.shared is not None and harness.maker is None:
        found.append("nothing makes the initial state: the structure is taken to be all 0")
    if harness.cleared:
        found.append("the structure is taken to be cleared before it is initialised")
    if judge.left_out:
        lines = ", ".join(map(str, sorted(judge.left_out)))
        found.append(f"left out where an assertion fails already without threads (line {lines})")
    if harness.chosen.kind == roles.LOCK:
        found.append("judged by a counter that only holders of the lock read and write")
    return found


def _weaker(judge: Judge, outcome: Outcome) -> list[str]:
    """Under which weaker reading the history that was found would be right."""
    found = []
    if not judge.strong:
        strong = Judge.like(judge, strong=True)
        if strong.search_once(outcome.calls, outcome.threads) == "explained":
            found.append(
                "under sequential consistency all interleavings of as many calls are right"
            )
    refusing = [o for o in judge.harness.operations if o.method == INSERT and judge.capacity >= 0]
    if refusing:
        before = [list(o.lost) for o in refusing]
        for operation in refusing:
            operation.lost.append(operation.no)
        if (
            Judge.like(judge, judge.strong).search_once(outcome.calls, outcome.threads)
            == "explained"
        ):
            found.append(
                "if it may refuse at any time, all interleavings of as many calls are right"
            )
        for operation, lost in zip(refusing, before, strict=True):
            operation.lost[:] = lost
    return found
