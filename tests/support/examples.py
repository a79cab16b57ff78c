"""How many random examples a property is tried with.

`make test` tries the same ones every time, so that its answer is about the change at hand;
`make fuzz` tries others, and more of them.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("HEAPSTORY_FUZZ", "0"))  # as many; 0: the same ones


def examples(count: int, **more: Any) -> settings:
    return settings(
        max_examples=count * max(TIMES, 1),
        derandomize=not TIMES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        **more,
    )
