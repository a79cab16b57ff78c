"""Renderers: answers and findings as text, JSON, SARIF, DOT, SVG or HTML. They compute nothing."""
