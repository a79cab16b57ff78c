"""Renderers: they turn answers into text, JSON, DOT, SVG or HTML, and compute nothing."""
