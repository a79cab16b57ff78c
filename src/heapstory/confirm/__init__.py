"""Confirming static findings by running the program under the recorder."""

from heapstory.confirm.runs import Plan, confirm
from heapstory.static.confirmation import Confirmation, Moment

__all__ = ["Confirmation", "Moment", "Plan", "confirm"]
