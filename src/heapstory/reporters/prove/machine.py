"""The verdict on C as it stands, in words and for other programs."""

from __future__ import annotations

from typing import Any

from heapstory.linear.history.judge import Judgement
from heapstory.linear.history.operations import Operation
from heapstory.linear.ir.abstract import most_in_order
from heapstory.linear.ir.harness import TRUTH
from heapstory.linear.ir.judge import DONE_, EMPTY, FULL, LOST, Call, Outcome, is_lock
from heapstory.linear.verdict.report import BOUNDED, REFUTED, UNKNOWN

_SAID = {DONE_: "done", EMPTY: "EMPTY", FULL: "full", LOST: "nothing done"}
_CALL, _LOAD, _STORE, _CHANGE, _FENCE, _LOCK, _ANSWER = range(7)


def text(path: str, outcome: Outcome) -> str:
    """For people."""
    bound = f" (up to {outcome.calls} calls)" if outcome.verdict == BOUNDED else ""
    lines = [f"{path}: {outcome.verdict}{bound} in {outcome.seconds:.2f} s"]
    if outcome.verdict == BOUNDED:
        lines.append(f"  covers: {covers(outcome)}; nothing beyond")
    if outcome.reason:
        lines.append(f"  {outcome.reason}")
    if outcome.verdict != UNKNOWN:
        lines.append("  by: all interleavings of calls of the compiled functions")
    lines += [f"  note: {note}" for note in outcome.notes]
    if outcome.history:
        lines += [f"  {line}" for line in _history(outcome)]
    return "\n".join(lines)


def covers(outcome: Outcome) -> str:
    """The bound in one line."""
    memory = "sequential consistency" if outcome.strong else "C11's weak memory (RC11)"
    most: dict[int, int] = {}  # more threads with as many calls say all of fewer threads
    for threads, calls in sorted(outcome.covered.items(), reverse=True):
        if calls > max(most.values(), default=0):
            most[threads] = calls
    parts = [f"up to {' or '.join(f'{c} calls by {t} threads' for t, c in most.items())}"]
    if outcome.capacity >= 0:
        parts.append(f"room for {outcome.capacity}")
    if outcome.keys:
        parts.append(f"keys 1 to {outcome.keys}")
    if outcome.narrow:
        parts.append("values below 128")
    if outcome.varied:
        parts.append(f"two results of {', '.join(outcome.varied)}")
    if outcome.rounds:
        parts.append(f"waits that see nothing new up to {outcome.rounds} rounds")
    return ", ".join([*parts, "freed memory handed out again", memory])


def data(path: str, outcome: Outcome) -> dict[str, Any]:
    """For other programs."""
    return {
        "name": path,
        "path": path,
        "verdict": outcome.verdict,
        "bound": outcome.calls or None,
        "counterexample": _counterexample(outcome) if outcome.verdict == REFUTED else None,
        "algorithm6": None,
        "seconds": round(outcome.seconds, 3),
        "method": "interleavings",
        "reason": outcome.reason or None,
        "states": outcome.states,
        "notes": outcome.notes,
        "coverage": {
            "operations": outcome.calls,
            "threads": outcome.threads,
            "calls_by_threads": {str(t): c for t, c in sorted(outcome.covered.items())},
            "capacity": outcome.capacity if outcome.capacity >= 0 else None,
            "keys": outcome.keys or None,
            "small_values": outcome.narrow,
            "two_results_of": outcome.varied,
            "rounds_of_waits": outcome.rounds or None,
            "reuse": True,
            "memory_model": "sequential consistency" if outcome.strong else "RC11",
            "states": outcome.states,
        },
        "history": _counterexample(outcome) if outcome.history else None,
    }


def drawn(path: str, outcome: Outcome) -> Judgement:
    """The calls of the history as if they had been recorded; times are steps of the trail."""
    times = {
        (e.kind, e.value): n for n, e in enumerate(outcome.trail) if e.kind in (_CALL, _ANSWER)
    }
    found = Judgement(path, outcome.verdict, len(outcome.history), outcome.seconds, outcome.reason)
    for number, call in enumerate(outcome.history):
        operation = outcome.operations[call.operation]
        arguments = (call.argument,) if operation.argument else ()
        end = times.get((_ANSWER, number), len(outcome.trail)) if call.answered else None
        begin = times.get((_CALL, number), 0)
        answer = _answer(outcome, call) if call.answered else None
        found.conflict.append(Operation(operation.name, arguments, answer, begin, end, 0))
    if outcome.verdict == REFUTED:
        found.order = [(found.conflict[n - 1], state) for n, state in most_in_order(outcome)]
    return found


def _counterexample(outcome: Outcome) -> dict[str, Any]:
    calls = [
        {
            "call": number,
            "thread": call.thread,
            "operation": outcome.operations[call.operation].name,
            "argument": call.argument if outcome.operations[call.operation].argument else None,
            "answer": _answer(outcome, call) if call.answered else None,
            "pending": not call.answered,
            "after": _after(outcome.history, call),
        }
        for number, call in enumerate(outcome.history, 1)
    ]
    steps = [
        {"thread": e.thread, "line": e.line, "text": _step(e.kind, e.address, e.value)}
        for e in outcome.trail
        if e.kind not in (_CALL, _ANSWER)
    ]
    order = most_in_order(outcome) if outcome.verdict == REFUTED else []
    return {
        "operations": calls,
        "steps": steps,
        "order": [{"call": number, "state": state} for number, state in order],
    }


def _answer(outcome: Outcome, call: Call) -> str:
    if outcome.operations[call.operation].says == TRUTH:
        return "true" if call.answer else "false"
    return _SAID.get(call.answer, _shown(call.answer))


def _after(history: list[Call], call: Call) -> list[int]:
    return [n for n, other in enumerate(history, 1) if call.after >> other.slot & 1]


def _shown(value: int) -> str:
    return f"{value:#x}" if value > 255 else str(value)


def _step(kind: int, address: int, value: int) -> str:
    shown = _shown(value)
    if kind == _LOAD:
        return f"reads {shown} at {address:#x}"
    if kind == _LOCK:
        return "takes the lock" if value else "gives the lock back"
    if kind == _FENCE:
        return "fence"
    return f"{'writes' if kind == _STORE else 'exchanges for'} {shown} at {address:#x}"


def _history(outcome: Outcome) -> list[str]:
    """The calls, then what their threads did, one column for each thread."""
    lines = []
    for number, call in enumerate(outcome.history, 1):
        operation = outcome.operations[call.operation]
        given = _shown(call.argument) if operation.argument else ""
        answer = _answer(outcome, call) if call.answered else "pending"
        after = ", ".join(f"#{n}" for n in _after(outcome.history, call))
        known = f"   (after {after})" if after else ""
        lines.append(
            f"#{number} thread {call.thread}: {operation.name}({given}) -> {answer}{known}"
        )
    lines.append("")
    begun = 0
    for event in outcome.trail:
        indent = "    " * event.thread
        if event.kind == _CALL:
            begun = event.value + 1
            lines.append(f"{indent}thread {event.thread}: #{begun} begins")
        elif event.kind == _ANSWER:
            lines.append(f"{indent}thread {event.thread}: #{event.value + 1} answers")
        else:
            what = _step(event.kind, event.address, event.value)
            lines.append(f"{indent}thread {event.thread}: line {event.line} {what}")
    if outcome.verdict == REFUTED:
        what = "no order of these sections" if is_lock(outcome) else "no order of these calls"
        lines.append(f"* {what} gives these answers")
        states = ", ".join(f"#{number} {state}" for number, state in most_in_order(outcome))
        lines.append(f"the most in order, and the abstract state: {states}")
    return lines
