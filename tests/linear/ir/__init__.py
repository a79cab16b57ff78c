"""C as it stands: litmus tests of the memory model, and small structures."""
