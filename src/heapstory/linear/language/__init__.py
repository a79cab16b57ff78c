"""The notation of specifications: grammar, tree, names and types; knows nothing of its meaning."""
