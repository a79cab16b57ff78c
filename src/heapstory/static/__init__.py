"""Static leak analysis of C."""

from heapstory.static.analysis import Options, Outcome, analyse
from heapstory.static.findings import Finding, Sources, collect_findings
from heapstory.static.models import load_models

__all__ = [
    "Finding",
    "Options",
    "Outcome",
    "Sources",
    "analyse",
    "collect_findings",
    "load_models",
]
