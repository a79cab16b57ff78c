"""The walk: the program followed from ``main`` on, statement by statement, with the values it has.
It knows what statements do, and the linked program.

States are never joined: calls are entered, loops run as often as they do, counters count. Where a
value is not known both ways are taken, within a budget. What a summary cannot tell (which bucket,
how many references are left, where a ``longjmp`` lands) is known here, as far as the program
decides it and not its input.
"""
