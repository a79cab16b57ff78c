"""A debugger and verifier for data structures in native programs."""
