"""The program followed from ``main`` on, statement by statement, with the values it really has.

The rules are those of the whole analysis (rules.py), on states that are never joined: calls are
entered, loops run as often as they do, counters count. Where a value is not known both ways are
taken, within a budget. What a summary cannot tell (which bucket, how many references are left,
where a ``longjmp`` lands) is known here, as far as the program decides it and not its input.
"""
