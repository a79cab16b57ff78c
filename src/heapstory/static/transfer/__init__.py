"""What statements and calls do to a state: the rules, summaries applied, models of libraries.
It knows the heap, summaries and statements of the C front; not in which order they run.
"""
