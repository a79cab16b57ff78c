"""The figures of docs/evaluation: each script is run from the top, python -m benchmarks.NAME."""
