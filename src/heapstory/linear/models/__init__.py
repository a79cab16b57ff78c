"""What an operation may answer when it runs alone: abstract types, a plain interpreter.

Knows the language. The interpreter shares nothing with `states` on purpose: it checks it.
"""
