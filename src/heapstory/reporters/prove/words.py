"""Calls, answers and changes of a counterexample in words, the same in text and pictures."""

from __future__ import annotations

from heapstory.linear.verdict.counterexample import Lane, Shown, show_value


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
