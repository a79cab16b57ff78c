"""Running a program under the checker, and what its trace says of errors and leaks.

Knows recording, traces and ``checks``; nothing of how findings are shown.
"""
