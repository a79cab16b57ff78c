"""Linearizability of concurrent data structures: specifications, relations, proofs, histories.

Not covered: weak memory (sequential consistency is assumed) and progress properties.
"""
