"""The answer of ``graph`` as text, JSON and drawings. Knows graphs and their drawings."""
