"""Reading LLVM IR text and lowering it to the statements of the analysis."""
