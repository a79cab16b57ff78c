"""What ``heapstory`` can do for a program: one function for a verb; knows every analysis.

Commands and the package itself ask here; nothing prints, and no analysis knows of it.
"""
