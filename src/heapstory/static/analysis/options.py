"""How an analysis is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heapstory.static.transfer.models import Models


@dataclass(slots=True)
class Options:
    """How to run."""

    models: Models
    processes: int = 0  # 0: all cores
    engine: str = "local"
    scheduler: str | None = None  # address of a Dask cluster
    cache_path: str | None = None
    summaries: bool = True
    progress: Callable[[str], None] = lambda text: None
    show: str | None = None  # a function whose abstract states are wanted
    complete: bool = True  # whether the program has no other units than those given
