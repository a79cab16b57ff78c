"""The program: units linked by symbol, functions in the order of their calls, those that call each
other analysed together. It knows how one function is analysed.
"""
