"""C that is run: small tests in native threads with random delays, whose histories are judged."""
