"""Histories of structures that work, with every operation inside its interval."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

METHODS = {  # of recorded histories, each with whether it takes an argument
    "queue": {"enqueue": True, "dequeue": False},
    "stack": {"push": True, "pop": False},
    "set": {"add": True, "remove": True, "contains": True},
    "register": {"write": True, "read": False},
    "counter": {"increment": False, "read": False},
}


class Real:
    """A structure that works, on which histories are recorded."""

    def __init__(self, kind: str) -> None:
        self.kind, self.content, self.members, self.cell = kind, deque(), set(), 0  # type: ignore[var-annotated]

    def do(self, method: str, argument: int) -> Any:
        """Run one operation; gives its answer."""
        match method:
            case "enqueue" | "push":
                self.content.append(argument)
            case "dequeue" | "pop":
                take = self.content.popleft if self.kind == "queue" else self.content.pop
                return take() if self.content else "EMPTY"
            case "add" | "remove" | "contains":
                there = argument in self.members
                if method != "contains":
                    (self.members.add if method == "add" else self.members.discard)(argument)
                return not there if method == "add" else there
            case "write":
                self.cell = argument
            case "increment":
                self.cell += 1
                return self.cell - 1
            case "read":
                return self.cell
        return None


def recorded(count: int, kind: str = "queue", threads: int = 8, seed: int = 0) -> list[dict]:  # type: ignore[type-arg]
    """A history of a real structure, each operation taking effect inside its interval."""
    rng, real, now, value = random.Random(seed), Real(kind), 0, 0
    methods = list(METHODS[kind])
    running: dict[int, dict] = {}  # type: ignore[type-arg]
    done: list[dict] = []  # type: ignore[type-arg]
    while len(done) < count:
        now += 1
        thread = rng.randrange(threads)
        call = running.get(thread)
        if call is None:
            call = running[thread] = {"method": rng.choice(methods), "begin": now}
            if METHODS[kind][call["method"]]:
                value += 1
                call["argument"] = rng.randrange(1000) if kind == "set" else value
        elif "result" not in call:
            call["result"] = real.do(call["method"], call.get("argument", 0))
        else:
            call["end"] = now
            done.append(running.pop(thread))
    for call in running.values():
        call.update(result=None, end=None)
    return done + list(running.values())
