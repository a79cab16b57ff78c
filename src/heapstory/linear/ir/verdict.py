"""From a C or C++ file to a verdict, by trying all interleavings of calls of its functions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heapstory.errors import UsageError
from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.ir import roles, unit
from heapstory.linear.ir.answers import CannotTell, Faulty, OtherType
from heapstory.linear.ir.harness import INCREMENT, INSERT, SILENT, Harness
from heapstory.linear.ir.judge import Judge, Outcome
from heapstory.linear.ir.locks import NOT_HELD
from heapstory.linear.ir.subject import operations_of

ANY_THREAD = "none"  # for --one-thread: no function is reserved


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
    except OutOfBudget as reason:
        return Outcome("unknown", f"{wanted.path}: {reason}")
    outcome = judge.run(wanted.calls)
    outcome.notes += _assumed(judge)
    if outcome.drawn and outcome.verdict == "bounded-ok":
        outcome.notes.append(
            f"beside these, {outcome.drawn} random histories of 4 to {outcome.drawn_calls} calls "
            "show nothing wrong"
        )
    if outcome.verdict == "not-linearizable":
        outcome.notes += _weaker(judge, outcome)
    return outcome


def _undecided(reason: CannotTell) -> Outcome:
    alone = isinstance(reason, OtherType) or (isinstance(reason, Faulty) and reason.known)
    return Outcome("unknown", str(reason), other_type=alone)


def _judge(wanted: Wanted, budget: Budget, cleared: bool) -> Judge:
    return Judge(harness_of(wanted, cleared, budget), wanted.keys, budget)


def is_reserved(wanted: Wanted) -> bool:
    """Whether names say that only one thread calls some functions."""
    try:
        return bool(harness_of(wanted).alone)
    except (UsageError, CannotTell):
        return False


def harness_of(wanted: Wanted, cleared: bool = False, budget: Budget | None = None) -> Harness:
    """The calls of what a file is about."""
    module, chosen = operations_of(
        wanted.path, wanted.options, wanted.functions, wanted.implements, budget
    )
    harness = Harness(module, chosen, wanted.struct, cleared)
    owner = next((f.owner for f in chosen.methods.values() if f.owner), "")
    if owner and harness.maker is None:
        raise CannotTell(
            f"{wanted.path}: no object of class '{owner}' can be made: nothing in the file calls "
            "a constructor of it (add a line that does)"
        )
    for number, group in enumerate(wanted.one_thread):
        if group != ANY_THREAD:
            reserve(harness, number, group)
    if not wanted.one_thread:
        _reserve_by_name(harness)
    return harness


def _reserve_by_name(harness: Harness) -> None:
    """A queue of one producer says so in its name; of a deque only its owner pushes and pops."""
    chosen = harness.chosen
    functions = list(chosen.methods.values())
    names = [chosen.type, *(f.owner for f in functions), *(f.name for f in functions)]
    names += list(reversed(Path(harness.module.path).resolve().parts[-2:]))
    said = roles.few(names) or roles.few_said(unit.about(harness.module.path))
    if chosen.apart and said not in ("spsc", "mpsc"):
        said = "mpsc"  # another consumer could come between the two calls
    alone = {"spsc": ["enqueue", "dequeue"], "mpsc": ["dequeue"], "spmc": ["enqueue"]}.get(said, [])
    if chosen.kind == roles.DEQUE:
        alone, said = ["push", "pop"], "deque"
    for method, function in chosen.methods.items():
        if roles.for_one_thread(function.name) and method not in alone:
            alone, said = [*alone, method], said or "structure with an owner"
    for number, method in enumerate(m for m in alone if m in chosen.methods):
        at = list(chosen.methods).index(method)
        harness.operations[at].role = 0 if chosen.kind == roles.DEQUE else number
    harness.alone = said if any(o.role >= 0 for o in harness.operations) else ""


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
    of = f" of {harness.chosen.type}" if harness.chosen.type else ""
    found = [f"taken for a {harness.chosen.kind}{of}: {methods}"]
    found += [
        f"'{n}' is taken for the number of the thread"
        for n in sorted(harness.module.library.assumed)
    ]
    found += [f"'{n}' is taken to give 0 or 1" for n in sorted(harness.module.library.varied)]
    found += [f"it calls {number}" for number in dict.fromkeys(harness.numbers)]
    found += _answers(harness)
    found += harness.module.absent.notes() if harness.module.absent else []
    if harness.maker is not None and not harness.chosen.type:
        given = ", ".join(harness.given_to_maker())
        found.append(f"{harness.maker.name}({given}) makes the initial state")
    if harness.shared is not None and harness.maker is None:
        found.append("nothing makes the initial state: the structure is taken to be all 0")
    if harness.threads.registers is not None:
        found.append(f"each thread calls {harness.threads.registers.name} before its first call")
    found += [f"each thread's {kind} is taken to be all 0" for kind in sorted(harness.threads.bare)]
    if harness.module.of_x86:
        found.append("its assembly is of x86: barriers for the compiler count as on that processor")
    if harness.cleared:
        found.append("the structure is taken to be cleared before it is initialised")
    if harness.alone:
        few = ", ".join(o.name for o in harness.operations if o.role >= 0)
        found.append(
            f"only one thread calls each of {few}, as in a {harness.alone} (--one-thread "
            f"{ANY_THREAD}: any thread calls anything)"
        )
    if judge.left_out:
        lines = ", ".join(map(str, sorted(judge.left_out)))
        found.append(f"left out where an assertion fails already without threads (line {lines})")
    if harness.chosen.kind == roles.LOCK:
        found.append("judged by a counter that only holders of the lock read and write")
    return found


def _answers(harness: Harness) -> list[str]:
    """What some answers were taken for, and which were not looked at."""
    found = []
    for operation in harness.operations:
        answers = " or ".join(str(answer) for answer in operation.lost if answer != NOT_HELD)
        if answers:
            found.append(f"where {operation.name} answers {answers}, it is taken to do nothing")
        elif operation.lost:
            found.append(
                f"where {operation.name.split()[0]} answers otherwise than for a free lock, it is "
                "taken not to hold it"
            )
        if operation.says == SILENT and not operation.silent and operation.method != INCREMENT:
            found.append(f"what {operation.name} answers is always the same and says nothing")
    return found


def _weaker(judge: Judge, outcome: Outcome) -> list[str]:
    """Under which weaker reading the history that was found would be right."""
    found = []
    those = "of these calls" if outcome.program else "of as many calls"
    of = outcome.calls, outcome.threads, outcome.program
    if not judge.strong and Judge.like(judge, strong=True).search_once(*of) == "explained":
        found.append(f"under sequential consistency all interleavings {those} are right")
    refusing = [o for o in judge.harness.operations if o.method == INSERT and judge.capacity >= 0]
    if refusing:
        before = [list(o.lost) for o in refusing]
        for operation in refusing:
            operation.lost.append(operation.no)
        if Judge.like(judge, judge.strong).search_once(*of) == "explained":
            found.append(f"if it may refuse at any time, all interleavings {those} are right")
        for operation, lost in zip(refusing, before, strict=True):
            operation.lost[:] = lost
    return found
