"""Runs of many mutants, the figures made of them, and the peers beside."""
