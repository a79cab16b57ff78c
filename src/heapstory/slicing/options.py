"""What a slice may leave out."""

from __future__ import annotations

from dataclasses import dataclass

MOST_MOMENTS = 20_000


@dataclass(frozen=True, slots=True)
class Options:
    """``through`` and ``stop_at`` are functions or FILE:LINE."""

    data: bool = True
    control: bool = True
    thin: bool = False  # neither what decided nor how pointers came about
    through: tuple[str, ...] = ()
    stop_at: tuple[str, ...] = ()
    max_statements: int | None = None
    most_moments: int = MOST_MOMENTS
