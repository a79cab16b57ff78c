"""Member-access distances ⟨D, +, −⟩ (Table 1 of the paper).

0 is the cell itself (``p``), 1 a member of it (``p->f``), 2 anything further (``p->f->…``). The
results are sets; None is ⊥, an operation that makes no sense.
"""

from __future__ import annotations

D = (0, 1, 2)


def plus(left: int, right: int) -> set[int]:
    """The distance of following ``right`` after ``left``."""
    return {min(left + right, 2)}


def minus(left: int, right: int) -> set[int] | None:
    """What is left of ``left`` after ``right`` was followed; 2 − 1 may be either of 1 and 2."""
    if left == 0 or right > left:
        return None
    if left == 2:
        return {2} if right == 0 else {1, 2} if right == 1 else {0, 1, 2}
    return {left - right}
