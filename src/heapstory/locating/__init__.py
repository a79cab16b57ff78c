"""From a broken structure back to the statements that broke it; knows constraints and the trace.

>>> from heapstory import constraints, locating
>>> answer = locating.locate(trace, constraints.load("list.spec"))
>>> answer.statements
"""

from heapstory.locating.diagnosis import CPoint, Diagnosis, Fault, Inconsistency, Slot
from heapstory.locating.search import locate

__all__ = ["CPoint", "Diagnosis", "Fault", "Inconsistency", "Slot", "locate"]
