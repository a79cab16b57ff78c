"""Static findings confirmed by running the program; knows static, recording and the trace."""

from heapstory.checks.moment import Moment
from heapstory.confirm.runs import Execution, confirm
from heapstory.static.findings.confirmation import Confirmation

__all__ = ["Confirmation", "Execution", "Moment", "confirm"]
