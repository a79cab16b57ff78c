"""The memory graph as of a timestamp, its parts, its evolution, and the history of its fields."""
