"""The answer of ``locate`` as text, JSON, SARIF and pictures. Knows located faults."""
