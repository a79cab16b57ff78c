"""Faults for the evaluation of `heapstory locate`: operators, mutants, and the oracle beside."""
