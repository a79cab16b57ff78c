"""Specifications extracted from C; knows the language and the C front, nothing of verdicts."""
