"""Linearizability of concurrent data structures: from a specification, C or a history to a verdict.

Not covered: weak memory (sequential consistency is assumed) and progress properties.

The rooms, each of which knows only those before it: `language`, `program`, `models`, `history`,
`states`, `formulas`, `candidates`, `proof`, `verdict`; `c` makes specifications and knows
`language`, `program` and the C front only. What is here itself (`budget`) knows no room.
"""
