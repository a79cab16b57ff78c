"""Linearizability of concurrent data structures: specifications, relations, proofs, histories.

Not covered: weak memory (sequential consistency is assumed), progress properties, and operations
whose number of shared accesses is not fixed (a traversal is written as one step that picks a node).
"""
