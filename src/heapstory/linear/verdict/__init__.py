"""From a specification to a verdict and its counterexample; knows every room but `c`."""
