"""The programs of the benchmark and their inputs."""
