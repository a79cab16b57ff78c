"""Dynamic slices of a recorded run: which statements led to a value, and why.

Knows traces and the core's slicer, nothing of how answers look. What is not covered: values that
only ever were in registers are not known, and of code that never ran nothing is said but that a
branch kept it from running.
"""

from heapstory.slicing.edges import parse_edge, why_edge
from heapstory.slicing.influence import influence
from heapstory.slicing.losses import find_loss, why_lost
from heapstory.slicing.model import Dependence, Moment, Slice
from heapstory.slicing.options import Options
from heapstory.slicing.search import Slicing, slice_trace

__all__ = [
    "Dependence",
    "Moment",
    "Options",
    "Slice",
    "Slicing",
    "find_loss",
    "influence",
    "parse_edge",
    "slice_trace",
    "why_edge",
    "why_lost",
]
