"""What the requests of a page cost ``heapstory view --serve``: seconds, and CPU of all threads of
the server together, which a busy machine does not change."""

import json
import random
import statistics
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.support.page import table
from tests.viewing.reading import Columns

REQUESTS = 20
SPAN = 600_000  # changes that a page asks for at once


class Answer(NamedTuple):
    wall: float  # milliseconds
    cpu: float
    body: bytes


class Asking:
    """Requests to a server, and what they cost it."""

    def __init__(self, address: str, process: int) -> None:
        self.address = address
        self.clock = ~process << 3 | 2  # CPU time of a process: clock_getcpuclockid(3)

    def cpu(self) -> float:
        return time.clock_gettime(self.clock)

    def get(self, query: str) -> Answer:
        begin, cpu = time.perf_counter(), self.cpu()
        with urllib.request.urlopen(self.address + query, timeout=600) as answer:
            body = answer.read()
        return Answer((time.perf_counter() - begin) * 1000, (self.cpu() - cpu) * 1000, body)

    def figures(self, queries: list[str]) -> dict[str, Any]:
        """Of queries that are asked where nobody looked before, and at once again."""
        cold, warm = [], []
        for query in queries:
            cold.append(self.get(query))
            warm.append(self.get(query))
        return {
            "cold": _spread([answer.cpu for answer in cold]),
            "warm": _spread([answer.cpu for answer in warm]),
            "wall": _spread([answer.wall for answer in cold]),
            "megabytes": max(len(answer.body) for answer in cold) / 1e6,
        }


def served(command: list[str]) -> dict[str, Any]:
    """The figures of one server, started by ``command``."""
    begin = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout
            asking = Asking(server.stdout.readline().strip(), server.pid)
            figures: dict[str, Any] = {"start": time.perf_counter() - begin}
            figures["start cpu"] = asking.cpu()
            head = json.loads(asking.get("head").body)
            figures |= {"timestamps": head["last"], "nodes": head["nodes"]}
            while not (bands := Columns(asking.get("bands").body)).header["complete"]:
                time.sleep(0.5)  # the changes of each chunk are counted in the background
            figures["counted cpu"] = asking.cpu() - figures["start cpu"]
            queries = _queries(head, bands.table("statements")["site"])
            figures["requests"] = {name: asking.figures(each) for name, each in queries.items()}
            figures["resident"] = _resident(server.pid)
            return figures
        finally:
            server.terminate()


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "worst": max(values)}


def _queries(head: dict[str, Any], sites: list[int | None]) -> dict[str, list[str]]:
    """What a page asks, at random moments and nodes."""
    chance = random.Random(1)
    last, span = head["last"], min(head["last"] // 4, SPAN)
    statements = [site for site in sites if site is not None]

    def stretch(begin: int = 0) -> str:
        first = chance.randint(begin, last - span)
        return f"first={first}&last={first + span}&at={first + span // 2}"

    def node() -> int:
        return chance.randint(1, head["nodes"])

    kinds: dict[str, Callable[[], str]] = {
        "bands of all time": lambda: "bands",
        f"bands of {span:,} changes": lambda: f"bands?{stretch()}",
        f"500 nodes from the variables, {span:,} changes": lambda: f"window?{stretch()}",
        "500 nodes around a node": lambda: f"window?start={node()}&{stretch(last // 2)}",
        "changes of a statement": lambda: f"changes?site={chance.choice(statements)}&{stretch()}",
        "who points to a node at a moment": lambda: (
            f"pointing?node={node()}&first={(at := chance.randint(last // 2, last))}&last={at}"
        ),
        "a node by its number": lambda: f"find?text={node()}",
        "200 nodes by their type": lambda: "find?text=node",
    }
    return {name: [make() for _ in range(REQUESTS)] for name, make in kinds.items()}


def _resident(process: int) -> dict[str, float]:
    """Megabytes of its own, and of files."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return {
        name: int(fields[key].split()[0]) / 1024
        for name, key in (("own", "RssAnon"), ("files", "RssFile"))
    }


def rendered(figures: dict[str, Any]) -> str:
    """The table of one server."""
    head = [
        f"served: {figures['timestamps']:,} changes, {figures['nodes']:,} nodes",
        "CPU",
        "worst",
        "CPU, asked again",
        "worst",
        "waited",
        "worst",
        "answer",
    ]
    rows = []
    for name, each in figures["requests"].items():
        times = [each[kind][which] for kind in ("cold", "warm", "wall") for which in _spread([0])]
        rows.append([name, *(f"{ms:.0f} ms" for ms in times), f"{each['megabytes']:.1f} MB"])
    return (
        f"{table(head, rows)}\n\n"
        f"Ready after {figures['start']:.1f} s ({figures['start cpu']:.1f} s of CPU); changes by "
        f"statement are counted then ({figures['counted cpu']:.1f} s). "
        f"{figures['resident']['own']:.0f} MB of its own, "
        f"{figures['resident']['files']:.0f} MB of mapped files."
    )
