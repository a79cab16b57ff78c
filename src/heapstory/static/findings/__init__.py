"""Findings: what a person can act on, grouped by root cause, with a confidence; suppressed, kept
as a baseline, confirmed by a run. It knows what the analysis of functions gives.
"""
