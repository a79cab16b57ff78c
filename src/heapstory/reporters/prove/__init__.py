"""The answer of ``prove`` as text, JSON, SARIF and pictures. Knows its verdicts and histories."""
