"""Specifications extracted from C source (not yet here)."""
