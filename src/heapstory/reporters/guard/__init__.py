"""What ``guard`` found, as text, JSON and SARIF."""
