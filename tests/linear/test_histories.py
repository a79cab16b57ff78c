"""Monitors for recorded histories, against the general search, and the format."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapstory.commands import main
from heapstory.errors import UsageError
from heapstory.linear.budget import Budget
from heapstory.linear.history import frontier
from heapstory.linear.history.judge import judge, judge_file
from heapstory.linear.history.operations import Operation, read
from heapstory.linear.history.wgl import Call, linearizable
from heapstory.linear.models.sequential import MODELS
from tests.linear import LONG
from tests.linear.recorded import recorded
from tests.support.examples import examples

TraceFunction = Callable[[FrameType, str, Any], Any]
INCLUDE = Path(__file__).parents[2] / "src" / "heapstory" / "linear" / "include"


def search(operations: list[Operation], model: str) -> bool:
    calls = [
        Call(i, o.method, o.arguments, o.result, o.begin, o.end) for i, o in enumerate(operations)
    ]
    return linearizable(calls, MODELS[model]()).accepted


def verdict(operations: list[Operation], model: str) -> bool:
    found = judge(operations, model, Budget(LONG)).verdict
    assert found != "unknown"
    return found == "bounded-ok"


METHODS = {
    "queue": [("enqueue", 1), ("dequeue", 0)],
    "stack": [("push", 1), ("pop", 0)],
    "set": [("add", 1), ("remove", 1), ("contains", 1)],
    "register": [("write", 1), ("read", 0)],
    "counter": [("increment", 0), ("read", 0)],
    "snapshot": [("update1", 1), ("update2", 1), ("scan", 0)],
}


def random_history(kind: str, seed: int, pending: float, unobserved: float) -> list[Operation]:
    """Operations with answers that are nearly right: some histories are, some are not."""
    rng = random.Random(seed)
    found = []
    values = 0
    for line in range(rng.randrange(1, 8)):
        method, arity = rng.choice(METHODS[kind])
        begin = rng.randrange(20)
        end = None if rng.random() < pending else begin + rng.randrange(1, 8)
        arguments: tuple[int, ...] = ()
        if arity:
            values += 1
            distinct = kind in ("queue", "stack", "register") and rng.random() < 0.9
            arguments = (values if distinct else rng.randrange(1, 3),)
        result = None
        if end is not None and method in ("dequeue", "pop"):
            result = rng.choice([-2, *range(1, 5)])
        elif end is not None and kind == "set":
            result = rng.randrange(2)
        elif end is not None and method in ("read", "increment"):
            result = rng.randrange(3)
        elif end is not None and method == "scan":
            result = (rng.randrange(3), rng.randrange(3))
        if rng.random() < unobserved:
            result = None
        found.append(Operation(method, arguments, result, begin, end, line + 1))
    return found


@pytest.mark.parametrize("kind", METHODS)
@examples(250)
@given(
    seed=st.integers(min_value=0, max_value=10**9),
    pending=st.sampled_from([0.1, 0.3, 0.5]),
    unobserved=st.sampled_from([0, 0, 0.2]),
)
def test_monitors_agree_with_the_search(
    kind: str, seed: int, pending: float, unobserved: float
) -> None:
    operations = random_history(kind, seed, pending, unobserved)
    assert verdict(operations, kind) == search(operations, kind)


@pytest.mark.parametrize("kind", ["queue", "stack"])
def test_values_in_the_hands_of_pending_operations_need_no_search(kind: str) -> None:
    """Some threads stop for good after they have taken a value; the others go on for long."""
    rows = recorded(6_000, kind, threads=8)
    rng, lost = random.Random(1), 0
    for row in rows[:200]:
        if row["result"] not in (None, "EMPTY") and rng.random() < 0.1:
            row.update(result=None, end=None)
            lost += 1
    assert lost > 3 and verdict(_operations(rows), kind)


@pytest.mark.parametrize("kind", ["queue", "stack"])
def test_real_runs_are_accepted_and_spoilt_ones_mostly_not(kind: str) -> None:
    rejected = 0
    for seed in range(60):
        rows = recorded(30, kind, threads=4, seed=seed)
        operations = _operations(rows)
        assert verdict(operations, kind), seed
        taken = [r for r in rows if r["result"] not in (None, "EMPTY") and r["end"] is not None]
        if len(taken) > 1:
            first, last = taken[0], taken[-1]
            first["result"], last["result"] = last["result"], first["result"]
            spoilt = _operations(rows)
            assert verdict(spoilt, kind) == search(spoilt, kind), seed
            rejected += not verdict(spoilt, kind)
    assert rejected > 20


def _operations(rows: list[dict]) -> list[Operation]:  # type: ignore[type-arg]
    return [
        Operation(
            r["method"],
            (r["argument"],) if "argument" in r else (),
            -2 if r["result"] == "EMPTY" else r["result"],
            r["begin"],
            r["end"],
            i + 1,
        )
        for i, r in enumerate(rows)
    ]


@contextmanager
def counted_lines() -> Iterator[Counter[str]]:
    """Counts the executed lines of Python, which no other load of the machine changes."""
    executed: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> TraceFunction:
        executed[frame.f_code.co_name] += event == "line"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        yield executed
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("kind", ["queue", "stack", "set", "register", "counter"])
def test_the_cost_of_a_long_history_is_near_linear(tmp_path: Path, kind: str) -> None:
    lines = []
    for count in (2_000, 8_000):
        file = tmp_path / "h.jsonl"
        file.write_text("".join(json.dumps(r) + "\n" for r in recorded(count, kind)))
        with counted_lines() as executed:
            judged = judge_file(str(file), kind, LONG)
        lines.append(executed.total())
        assert judged.verdict == "bounded-ok" and judged.operations >= count
    assert lines[1] < 8 * lines[0]  # 4 if linear, 16 if quadratic


def test_a_user_model_judges_too(tmp_path: Path) -> None:
    model = tmp_path / "m.lin"
    model.write_text(
        "model { int x; put(int v) 1 x = v; get() int r; 1 r = x; return r; }\n"
        "int y; put(int v) 1 y = v; get() int r; 1 r = y; return r;"
    )
    rows = [
        {"method": "put", "argument": 3, "begin": 1, "end": 2},
        {"method": "get", "result": 3, "begin": 3, "end": 4},
    ]
    file = tmp_path / "h.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    # `get` is a synonym of `read` for the built-in types only where the name is not the model's
    text = file.read_text().replace('"get"', '"read"')
    file.write_text(text)
    assert judge_file(str(file), str(model), 10).verdict == "bounded-ok"
    file.write_text(text.replace('"result": 3', '"result": 4'))
    assert judge_file(str(file), str(model), 10).verdict == "not-linearizable"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", ":2:2: not JSON"),
        ('{"method": "enqueue"}', ":2:1: needs 'method', 'begin' and 'end'"),
        ('{"method": "enqueue", "argument": 1, "begin": 5, "end": 3}', "ends (3) before"),
        ('{"method": "frob", "begin": 1, "end": 2}', "unknown method 'frob'"),
        ('{"method": "enqueue", "begin": 1, "end": 2}', "takes 1 argument"),
        ('{"method": "dequeue", "begin": "a", "end": 2}', "must be numbers"),
        ('{"method": "dequeue", "begin": NaN, "end": 2}', "must be numbers"),
        ('{"method": ["dequeue"], "begin": 1, "end": 2}', "'method' must be a name"),
        ('{"method": "dequeue", "result": [{}], "begin": 1, "end": 2}', "a value must be"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "h.jsonl"
    file.write_text('{"method": "dequeue", "result": "EMPTY", "begin": 1, "end": 2}\n' + line)
    with pytest.raises(UsageError) as caught:
        read(str(file), "queue")
    assert words in str(caught.value) and str(caught.value).startswith(f"{file}:2:")


def test_the_time_limit_holds_while_reading(tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    row = '{"method": "dequeue", "result": "EMPTY", "begin": 1, "end": 2}\n'
    file.write_text(row * 100_000)
    judged = judge_file(str(file), "queue", 1e-6)
    assert judged.verdict == "unknown" and "reading the history (line 1)" in judged.reason


def test_the_header_writes_what_is_read(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(
        '#include "heapstory_history.h"\n'
        "int main(void) { hs_history h = HS_HISTORY_INIT;\n"
        ' hs_history_open(&h, "run.jsonl");\n'
        ' hs_call a = hs_begin(&h, "enqueue", 7); hs_end(&h, &a);\n'
        ' hs_call b = hs_begin_plain(&h, "dequeue"); hs_end_value(&h, &b, 7);\n'
        ' hs_call c = hs_begin_plain(&h, "dequeue"); hs_end_empty(&h, &c);\n'
        ' hs_call d = hs_begin(&h, "enqueue", 8); hs_pending(&h, &d);\n'
        " return hs_history_close(&h); }\n"
    )
    build = ["gcc", "-Wall", "-Werror", "-I", str(INCLUDE), "-o", "p", "p.c", "-pthread"]
    subprocess.run(build, cwd=tmp_path, check=True)
    subprocess.run(["./p"], cwd=tmp_path, check=True)
    operations = read(str(tmp_path / "run.jsonl"), "queue")
    assert [o.result for o in operations] == [None, 7, -2, None]
    assert operations[-1].end is None
    assert verdict(operations, "queue")


def test_a_search_decides_where_too_many_states_are_possible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # overlapping exchanges of a register: every order is possible until one is read
    calls = [
        Operation("cas", (0 if n % 3 else 1, n % 2), None, n, 100 + n, n + 1) for n in range(9)
    ]
    monkeypatch.setattr(frontier, "MOST", 20)
    read = [Operation("read", (), 1, 200, 201, 25), Operation("read", (), 5, 300, 301, 26)]
    assert judge([*calls, read[0]], "register", Budget(LONG)).verdict == "bounded-ok"
    found = judge([*calls, *read], "register", Budget(LONG))
    assert found.verdict == "not-linearizable" and read[1] in found.conflict


def test_a_history_that_is_wrong_has_a_picture(tmp_path: Path) -> None:
    file, svg, html = (tmp_path / name for name in ("h.jsonl", "h.svg", "h.html"))
    file.write_text('{"method": "dequeue", "result": 7, "begin": 1, "end": 2}\n')
    words = ["prove", "--history", str(file), "--model", "queue"]
    assert main([*words, "--svg", str(svg), "--html", str(html)]) == 1
    assert "dequeue() -&gt; 7" in svg.read_text() and "line 1" in html.read_text()
