"""The methods of the abstract types, and which one an operation's name means."""

from __future__ import annotations

# type -> method -> number of arguments
TYPES: dict[str, dict[str, int]] = {
    "queue": {"enqueue": 1, "dequeue": 0},
    "stack": {"push": 1, "pop": 0},
    "set": {"add": 1, "remove": 1, "contains": 1},
    "register": {"write": 1, "read": 0, "cas": 2},
    "snapshot": {"update": 2, "update1": 1, "update2": 1, "scan": 0},
    "counter": {"increment": 0, "decrement": 0, "read": 0},
}
# of recorded histories, there is one more
RECORDED = {**TYPES, "map": {"get": 1, "put": 2, "append": 2, "remove": 1}}
SKIP = "skip"  # an operation that changes nothing abstract: helping, seen on its own
SYNONYMS = {
    "enq": "enqueue",
    "deq": "dequeue",
    "insert": "add",
    "delete": "remove",
    "member": "contains",
    "find": "contains",
    "lookup": "contains",
    "get": "read",
    "set": "write",
    "inc": "increment",
    "dec": "decrement",
    "snapshot": "scan",
}


def method_of(operation: str) -> str:
    """The method an operation's name stands for: what comes before the first underscore."""
    word = operation.split("_")[0].lower() or operation.lower()
    return SYNONYMS.get(word, word)
