"""Faults put into working programs, and an oracle that says what came of each."""
