"""The documentation as a site: make docs."""

project = "heapstory"
author = "the developers of heapstory"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "heapstory"
myst_heading_anchors = 4  # links to headings, as GitHub makes them
nitpicky = True
linkcheck_timeout = 20
