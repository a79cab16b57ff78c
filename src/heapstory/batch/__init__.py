"""Many runs: commands recorded and asked in parallel, answers kept in one table. Knows only the
command line, which it runs: a run that fails takes nothing else down with it."""
