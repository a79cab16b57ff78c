"""The answer of ``leaks`` as text, JSON, SARIF and HTML. Knows the findings of the analysis."""
