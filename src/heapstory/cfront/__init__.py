"""The C front: which units there are, clang, LLVM IR as functions of blocks of statements, debug
information. It knows nothing of what is asked of a program; it may know errors only."""
