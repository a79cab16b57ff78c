"""Candidate invariants: guesses that a proof may try; knows the formulas, proves nothing."""
