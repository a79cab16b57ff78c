"""Asks a trace and times every answer, in the core. Run with heapstory's own interpreter:

    asking.py sample TRACE COUNT    draws what to ask for, as JSON
    asking.py open TRACE            opens the trace once, in this fresh process
    asking.py ask TRACE SAMPLES     asks for what was drawn, as JSON

Drawing stands apart so that the asking process can live under a small memory limit.
"""

import json
import random
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from heapstory._core import Trace

_HEAP = (
    "CREATE TABLE heap AS SELECT node AS id, address, created, freed FROM nodes WHERE kind = 'heap'"
)
_LIVE = """
SELECT id, address, coalesce(created, 0), coalesce(freed, ?) FROM heap
WHERE coalesce(created, 0) <= ? AND coalesce(freed, ?) > ?
USING SAMPLE reservoir(8 ROWS) REPEATABLE (17)
"""
_HOT = """
SELECT address - address % 8 AS word, count(*) AS versions
FROM (SELECT address, size FROM events LIMIT 50000000)
WHERE size <= 8 GROUP BY word ORDER BY versions DESC, word LIMIT 10
"""


def sample(path: str, count: int) -> dict[str, Any]:
    """Fields of nodes that live at random timestamps, the hottest words (of the first 50 million
    events), and times for graphs."""
    import duckdb

    trace = Trace(path)
    last = trace.timestamps
    draw = random.Random(20150301)
    connection = duckdb.connect()
    connection.register("nodes", trace.table("nodes"))
    connection.execute(_HEAP)
    fields: list[dict[str, int]] = []
    while len(fields) < count:
        at = draw.randint(last // 50, last)
        for node, address, created, freed in connection.execute(
            _LIVE, [last + 1, at, last + 1, at]
        ).fetchall():
            held = trace.fields(node, at)
            if len(held) and len(fields) < count:
                row = draw.randrange(len(held))
                offset, size = held.column("offset")[row], held.column("size")[row]
                field = {"node": node, "address": address + offset, "size": size, "at": at}
                fields.append({**field, "first": created, "last": min(freed, last)})
    connection.register("events", trace.table("events"))
    hot = connection.execute(_HOT).fetchall()
    graphs = [last, *(draw.randint(last // 4, last) for _ in range(4))]
    return {"fields": fields, "hot": hot, "graphs": graphs, "last": last}


def timed(call: Callable[[], Any]) -> float:
    begin = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - begin) / 1e6


def spread(milliseconds: list[float]) -> dict[str, float]:
    ordered = sorted(milliseconds)
    return {
        "median": ordered[len(ordered) // 2],
        "p95": ordered[int(len(ordered) * 0.95)],
        "worst": ordered[-1],
        "count": len(ordered),
    }


def ask(path: str, drawn: dict[str, Any]) -> dict[str, Any]:
    """Times single calls. The first half of the draw warms the caches, other draws are measured."""
    trace = Trace(path)
    fields = drawn["fields"]
    half = len(fields) // 2
    last = drawn["last"]

    def field(one: dict[str, int]) -> float:
        return timed(lambda: trace.value(one["address"], one["size"], one["at"]))

    def node(one: dict[str, int]) -> float:
        return timed(lambda: (trace.node(one["node"]), trace.fields(one["node"], one["at"])))

    def versions(one: dict[str, int]) -> float:
        return timed(
            lambda: len(trace.history(one["address"], one["size"], one["first"], one["last"]))
        )

    def graph(at: int) -> None:
        view = trace.graph(at)
        sizes.append((len(view.nodes()), len(view.edges())))

    answers: dict[str, Any] = {}
    for name, question in (("field", field), ("node", node), ("versions", versions)):
        for one in fields[:half]:
            question(one)
        answers[name] = spread([question(one) for one in fields[half:]])
    answers["hot"] = [
        {"versions": count, "ms": timed(partial(trace.history, word, 8, 0, last))}
        for word, count in drawn["hot"]
    ]
    sizes: list[tuple[int, int]] = []
    answers["graph"] = spread([timed(partial(graph, at)) for at in drawn["graphs"]])
    answers["graph"]["nodes"], answers["graph"]["edges"] = sizes[0]
    answers["peak_kib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return answers


def main() -> None:
    verb, path = sys.argv[1:3]
    if verb == "sample":
        print(json.dumps(sample(path, int(sys.argv[3]))))
    elif verb == "open":
        print(json.dumps({"ms": timed(lambda: Trace(path))}))
    else:
        print(json.dumps(ask(path, json.loads(Path(sys.argv[3]).read_text()))))


if __name__ == "__main__":
    main()
