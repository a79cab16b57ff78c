"""Locating faults: from a broken structure back to the statements that broke it.

>>> from heapstory import constraints, locate
>>> answer = locate.locate(trace, constraints.load("list.spec"))
>>> answer.statements
"""

from heapstory.locate.answer import Answer, CPoint, Fault, Inconsistency, Slot
from heapstory.locate.search import locate

__all__ = ["Answer", "CPoint", "Fault", "Inconsistency", "Slot", "locate"]
