"""What ``prove`` refuted, for SARIF."""

from __future__ import annotations

from heapstory.linear.verdict.report import REFUTED
from heapstory.reporters.prove.results import Judged
from heapstory.reporters.sarif import Location, Result, Rule

RULES = (Rule("not-linearizable", "Some interleaving gives answers that no order explains"),)


def results(judged: list[Judged]) -> list[Result]:
    """One result for each input that is not linearizable."""
    return [
        Result(
            RULES[0].name,
            f"{one.name} is not linearizable",
            Location(one.path, max(one.line, 1)),
            "error",
        )
        for one in judged
        if one.verdict == REFUTED
    ]
