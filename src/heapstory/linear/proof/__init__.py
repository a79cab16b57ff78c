"""Proofs for any number of operations, one file per rule; knows the candidates and the states."""
