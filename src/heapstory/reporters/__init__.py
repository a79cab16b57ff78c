"""Answers as text, JSON, SARIF, pictures: a room for each verb. Knows results, not how they came.

Nothing is computed here, and no analysis knows of it.
"""
