"""Two runs beside each other: what is matched, where they part, what grew. Knows `store` and
`trace`.

Nodes are matched by the statement that made them and their number among those that it made, so
neither addresses nor timestamps need to agree. A thread that runs earlier in one run than in the
other is a difference like any other.
"""
