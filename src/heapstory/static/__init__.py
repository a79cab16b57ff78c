"""Static leak analysis of C: an abstract heap for every point of every function.
It knows the C front; see docs/internals/leaks.md for the way through the rooms."""

from heapstory.static.analysis.analyse import analyse
from heapstory.static.analysis.linking import ProgramResult
from heapstory.static.analysis.options import Options
from heapstory.static.findings.collecting import collect_findings
from heapstory.static.findings.findings import Finding, Sources
from heapstory.static.transfer.models import load_models

__all__ = [
    "Finding",
    "Options",
    "ProgramResult",
    "Sources",
    "analyse",
    "collect_findings",
    "load_models",
]
