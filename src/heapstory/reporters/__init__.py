"""Findings and results, rendered."""
