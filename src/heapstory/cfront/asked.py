"""What a branch asked, in words of the source: both answers to a comparison.

A branch of the IR does not have the sense of the condition in the source: ``if (!p)`` is
``p != null`` with its targets exchanged. So what held is said of the operands.
"""

from __future__ import annotations

Answers = tuple[str, str]  # where the comparison holds, where it does not

_SIGNS = {
    "eq": "==", "ne": "!=", "slt": "<", "ult": "<", "sle": "<=", "ule": "<=",
    "sgt": ">", "ugt": ">", "sge": ">=", "uge": ">=",
}  # fmt: skip
_OPPOSITE = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "ult": "uge", "uge": "ult",
    "sgt": "sle", "sle": "sgt", "ugt": "ule", "ule": "ugt",
}  # fmt: skip


def answers(predicate: str, left: str, right: str, pointers: bool) -> Answers | None:
    """Both answers to ``left PREDICATE right``; operands as in the source, '' if unknown."""
    if not left or not right or predicate not in _SIGNS:
        return None
    return (
        _said(predicate, left, right, pointers),
        _said(_OPPOSITE[predicate], left, right, pointers),
    )


def _said(predicate: str, left: str, right: str, pointers: bool) -> str:
    if pointers and right == "0" and predicate in ("eq", "ne"):
        return f"{left} is {'null' if predicate == 'eq' else 'not null'}"
    return f"{left} {_SIGNS[predicate]} {right}"
