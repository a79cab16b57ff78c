"""From a specification and a binding to a plan; knows the language, bindings and plans.

The trace is known only through the binding.
"""
