"""The search for an order, against all orders; models of one's own key by key; abstract states."""

from __future__ import annotations

import json
import random
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapstory.commands import main
from heapstory.linear.budget import Budget
from heapstory.linear.history.judge import judge, judge_file
from heapstory.linear.history.keys import key_places
from heapstory.linear.history.operations import Operation
from heapstory.linear.history.wgl import Call, linearizable
from heapstory.linear.models.sequential import Register
from heapstory.linear.program.load import parse
from tests.linear import LONG
from tests.support.examples import examples


def some_order(calls: list[Call]) -> bool:
    """All orders of all choices of calls that never ended, by a register of its own."""
    ended = [c for c in calls if c.end is not None]
    never = [c for c in calls if c.end is None]
    for chosen in range(1 << len(never)):
        placed = ended + [c for i, c in enumerate(never) if chosen >> i & 1]
        if any(_fits(order) for order in permutations(placed)):
            return True
    return False


def _fits(order: tuple[Call, ...]) -> bool:
    value = 0
    for place, call in enumerate(order):
        if any(c.end is not None and c.end < call.begin for c in order[place + 1 :]):
            return False
        answer: Any = None
        if call.method == "read":
            answer = value
        elif call.method == "write":
            value = call.arguments[0]
        else:
            answer = int(value == call.arguments[0])
            value = call.arguments[1] if answer else value
        if call.end is not None and call.answer is not None and call.answer != answer:
            return False
    return True


@examples(400)
@given(seed=st.integers(min_value=0, max_value=10**9))
def test_the_search_agrees_with_all_orders(seed: int) -> None:
    rng = random.Random(seed)
    calls = []
    for name in range(rng.randrange(1, 7)):
        begin = rng.randrange(12)
        end = None if rng.random() < 0.4 else begin + rng.randrange(1, 8)
        method, size = rng.choice([("read", 0), ("write", 1), ("cas", 2)])
        arguments = tuple(rng.randrange(3) for _ in range(size))
        answer = None if method == "write" or end is None else rng.randrange(2)
        calls.append(Call(name, method, arguments, answer, begin, end))
    found = linearizable(calls, Register())
    assert found.accepted == some_order(calls)
    if not found.accepted:
        stuck = next(c for c in calls if c.name == found.stuck)
        assert stuck.end is not None
        # what had begun by then cannot be explained, what had ended before can
        begun = [c for c in calls if c.begin <= stuck.end]
        assert not some_order(begun)
        assert some_order([_cut(c, stuck.end - 0.5) for c in begun])


def _cut(call: Call, end: float) -> Call:
    open_ = call.end is None or call.end > end
    return Call(
        call.name, call.method, call.arguments, None if open_ else call.answer, call.begin,
        None if open_ else call.end,
    )  # fmt: skip


def register_log(seed: int, clients: int, count: int) -> list[dict[str, Any]]:
    """Few values, and clients that are lost in the middle of a call: its effect comes late, or
    never. What reads answer is what the register held at a moment of their own."""
    rng = random.Random(seed)
    free = [0.0] * clients
    rows: list[dict[str, Any]] = []
    for _ in range(count):
        client = free.index(min(free))
        begin = free[client] + rng.expovariate(1)
        method = rng.choice(["read", "write", "cas"])
        values = [rng.randrange(5) for _ in range({"read": 0, "write": 1, "cas": 2}[method])]
        lost = method != "read" and rng.random() < 0.12
        end = begin + 0.1 + rng.expovariate(0.5)
        moment = begin + rng.random() * (end - begin)
        if lost:
            moment = begin + rng.expovariate(0.05) if rng.random() < 0.6 else float("inf")
        free[client] = begin + 5 if lost else end
        row: dict[str, Any] = {
            "method": method,
            "argument": values,
            "begin": begin,
            "end": None if lost else end,
        }
        rows.append({**row, "result": None, "moment": moment})
    value = 0
    for row in sorted(rows, key=lambda row: float(row["moment"])):
        if row["moment"] == float("inf"):
            break
        fits = row["method"] == "cas" and row["argument"][0] == value
        row["result"] = (
            value if row["method"] == "read" else fits if row["method"] == "cas" else None
        )
        value = row["argument"][-1] if row["method"] == "write" or fits else value
    return [{k: v for k, v in row.items() if k != "moment"} for row in rows]


@pytest.mark.parametrize("seed", range(5))
def test_register_logs_with_lost_clients_are_decided(seed: int, tmp_path: Path) -> None:
    """No limit on the states at one moment makes them unknown."""
    rows = register_log(seed, clients=10, count=300)
    assert _verdict(rows, tmp_path) == "bounded-ok"
    reads = sorted((r for r in rows if r["method"] == "read"), key=lambda r: float(r["begin"]))
    reads[len(reads) // 4]["result"] = 9  # which nobody wrote
    assert _verdict(rows, tmp_path) == "not-linearizable"


def _verdict(rows: list[dict[str, Any]], folder: Path) -> str:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return judge_file(str(path), "register", LONG).verdict


CELLS = """
int limit = 3; int A[];
write(int k, int v)
  1 < v <= limit; > A[k] = v;
read(int k)
  int l;
  1 l = A[k]; return l;
"""


def test_keys_of_models_that_users_write() -> None:
    assert key_places(parse(CELLS)) == {"write": 0, "read": 0}
    other = CELLS.replace("write(int k, int v)", "write(int v, int k)")
    assert key_places(parse(other)) == {"write": 1, "read": 0}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("l = A[k];", "l = A[0];"),
        ("l = A[k];", "l = A[k + 1];"),
        ("A[k] = v;", "A[k] = v; limit = v;"),
        ("A[k] = v;", "A[k] = v; A[v] = k;"),
        ("l = A[k];", "l = k; l = A[l];"),
    ],
)
def test_keys_that_matter_to_each_other(old: str, new: str) -> None:
    assert key_places(parse(CELLS.replace(old, new))) is None


@examples(60)
@given(seed=st.integers(min_value=0, max_value=10**9))
def test_key_by_key_is_as_good_as_all_together(seed: int, tmp_path_factory: Any) -> None:
    rng = random.Random(seed)
    calls, operations = [], []
    for name in range(rng.randrange(1, 7)):
        begin = rng.randrange(8)
        end = None if rng.random() < 0.2 else begin + rng.randrange(1, 6)
        key = rng.randrange(1, 3)
        method = rng.choice(["read", "write"])
        given_ = (key,) if method == "read" else (key, rng.randrange(1, 3))
        answer = rng.randrange(3) if method == "read" and end is not None else None
        calls.append(Call(name, method, given_, answer, begin, end))
        operations.append(Operation(method, given_, answer, begin, end, name + 1))
    path = tmp_path_factory.mktemp("cells") / "cells.lin"
    path.write_text(CELLS)
    apart = [
        [
            Call(c.name, c.method, c.arguments[1:], c.answer, c.begin, c.end)
            for c in calls
            if k in c.arguments[:1]
        ]
        for k in (1, 2)
    ]
    right = all(some_order(each) for each in apart)
    assert (judge(operations, str(path), Budget(LONG)).verdict == "bounded-ok") == right


STORE = [
    {"method": "append", "argument": ["a", "x"], "begin": 1, "end": 5},
    {"method": "append", "argument": ["a", "y"], "begin": 2, "end": 4},
    {"method": "put", "argument": ["b", 3], "begin": 2, "end": 4},
    {"method": "append", "argument": ["b", 4], "begin": 5, "end": 6},
    {"method": "get", "argument": "a", "result": "yx", "begin": 6, "end": 7},
    {"method": "get", "argument": "b", "result": [3, 4], "begin": 7, "end": 8},
    {"method": "get", "argument": "c", "result": "", "begin": 7, "end": 8},
]


def test_a_map_whose_values_grow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = tmp_path / "store.jsonl", tmp_path / "store.html"
    path.write_text("\n".join(map(json.dumps, STORE)))
    command = ["prove", "--history", str(path), "--model", "map"]
    assert main([*command, "--states", "--html", str(page)]) == 0
    assert "get(a) -> yx" in (shown := capsys.readouterr().out)
    assert "{a: yx, b: [3, 4]}" in shown and "{a: yx, b: [3, 4]}" in page.read_text()
    path.write_text("\n".join(map(json.dumps, STORE)).replace("yx", "x"))
    assert main([*command, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["results"][0]
    assert [step["state"] for step in found["order"]][-1] in ("{a: xy}", "{a: yx}")
