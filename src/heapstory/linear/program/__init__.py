"""A specification as atomic steps, and what each touches; knows the language."""
