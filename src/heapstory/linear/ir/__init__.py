"""C as it stands: its LLVM IR for the native machine, which tries all interleavings of calls."""
