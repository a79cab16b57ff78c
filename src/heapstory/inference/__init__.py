"""A specification from good runs; knows constraints, C-points (locating) and the trace."""
