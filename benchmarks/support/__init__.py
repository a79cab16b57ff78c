"""What the benchmarks share: running commands, reading traces, writing the page."""
