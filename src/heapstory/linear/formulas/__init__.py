"""Steps and abstract states as z3 formulas; knows the program, and no invariant."""
