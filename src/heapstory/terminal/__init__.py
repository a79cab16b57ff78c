"""A trace in a terminal (``view --tui``): the graph as a tree, time, source and history.

The tables are those of the page (``docs/internals/view.md``): what is shown is selected among the
versions of a window, nothing is worked out here. Only `app` and the panes beside it know textual.
"""
