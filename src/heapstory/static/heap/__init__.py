"""The heap abstraction: values, cells, states, how states are compared, joined and made smaller.
It knows places in the source and nothing of functions or statements.
"""
