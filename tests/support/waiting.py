"""Waiting for something to become true, however long a busy machine takes.

There is no limit here: every test has one (`timeout` in pyproject.toml).
"""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.01)  # others need the processor meanwhile
