"""The documentation as a site: make docs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "heapstory"
author = "the developers of heapstory"
extensions = ["myst_parser", "plots"]
html_theme = "furo"
html_title = "heapstory"
myst_heading_anchors = 4  # links to headings, as GitHub makes them
nitpicky = True
linkcheck_timeout = 20
