"""Calls, answers and changes of a counterexample in words, the same in text and pictures."""

from __future__ import annotations

from heapstory.linear.verdict.counterexample import Counterexample, Lane, Shown, show_value


def name_of(lane: Lane) -> str:
    """The call as text: ``#2 Pop_nonempty()``."""
    return f"#{lane.instance} {lane.operation}({', '.join(map(show_value, lane.arguments))})"


def answer_of(lane: Lane) -> str:
    """What the call answered, as text."""
    if lane.response is None:
        return "pending"
    return show_value(lane.answer) or "done"


def changes_of(step: Shown) -> str:
    """The cells a step changed, as text."""
    return ", ".join(f"{cell}: {old} → {new}" for cell, old, new in step.changes)


def conflict_of(found: Counterexample) -> str:
    """Which operations cannot be put in order; one alone conflicts with all the others."""
    names = [f"#{i}" for i in found.conflict]
    if len(names) == 1 and len(found.lanes) > 1:
        others = ", ".join(
            f"#{lane.instance}" for lane in found.lanes if lane.instance not in found.conflict
        )
        return f"whatever {others} have done by then, nothing allows the answer of {names[0]}"
    return f"no order of {' and '.join(names)} that keeps to real time gives these answers"


def order_of(found: Counterexample) -> str:
    """The longest order, with the abstract state after each operation; '' where not even one
    operation fits."""
    return ", ".join(f"#{instance} {state}" for instance, state in found.order)
