"""Summaries: what calling a function does, as rows of precondition and postcondition.
It knows the heap.
"""
