"""What is found wrong in a running program, whoever finds it: findings, fingerprints, baselines.

Knows places (``trace.places``) and errors; nothing of how a finding is made or shown.
"""
