"""What ``check`` found, as text, JSON, SARIF and Valgrind's XML."""
