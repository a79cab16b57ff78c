"""Constraint specifications: what must hold of a data structure at every C-point."""
