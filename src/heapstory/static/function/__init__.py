"""One function: the fixpoint over its blocks, and each allocation followed on its own where that is
too much. It knows what statements do, and of other functions only their summaries.
"""
