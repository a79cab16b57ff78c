"""What a page in a browser needs of a trace: tables as columns, one file around them, a server.

``docs/internals/view.md`` describes the tables, the file and the requests. Nothing is computed here
that the core could answer.
"""
