"""What a trace holds, for the table. Run with the interpreter that heapstory is installed for:
``python facts.py TRACE`` prints one JSON object."""

import json
import sys

import duckdb

from heapstory._core import Trace

# The paper's snapshot approach keeps the average number of live nodes, 8 bytes each, at every
# change: that is 8 bytes for every timestamp every node lived through.
_NODES = """
SELECT count(*), count(type),
       sum(coalesce(freed, ?)::HUGEINT - coalesce(created, 0)::HUGEINT)::DOUBLE
FROM nodes WHERE kind = 'heap'
"""


def facts(path: str) -> dict[str, float | int | bool | None]:
    trace = Trace(path)
    summary = trace.summary()
    nodes = trace.table("nodes")
    connection = duckdb.connect()
    connection.register("nodes", nodes)
    row = connection.execute(_NODES, [summary["timestamps"]]).fetchone()
    count, typed, lived = row or (0, 0, 0.0)
    return {
        "events": summary["events"],
        "timestamps": summary["timestamps"],
        "bytes": summary["bytes"],
        "event_bytes": summary["event_bytes"],
        "complete": summary["complete"],
        "nodes": count,
        "typed": typed,
        "snapshot_bytes": 8.0 * (lived or 0.0),
    }


if __name__ == "__main__":
    print(json.dumps(facts(sys.argv[1])))
