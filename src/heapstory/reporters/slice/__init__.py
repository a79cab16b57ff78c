"""The answer of ``slice`` as text, JSON, SARIF and pictures. Knows slices."""
