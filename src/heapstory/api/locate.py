"""Locating faults in a trace by a specification."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from heapstory import constraints
from heapstory.constraints.language.syntax import Specification
from heapstory.locating import Diagnosis, search
from heapstory.trace import Trace


def locate(
    trace: Trace,
    specification: str | os.PathLike[str] | Specification,
    *,
    sites: Mapping[str, str | Sequence[str]] | None = None,
    cpoints: Sequence[str] = (),
    statements: int | None = None,
) -> Diagnosis:
    """What is wrong at the first bad C-point, and the statements behind it.

    The specification is a file, the name of one that comes with heapstory (``avl_tree``), or what
    `heapstory.constraints.load` gave. `sites` binds types to allocation sites, as in
    ``{"node": "list.c:12"}``; `cpoints` and `statements` are as for ``heapstory locate
    --cpoint`` and ``--statements``.
    """
    if not isinstance(specification, Specification):
        specification = constraints.load(specification)
    return search.locate(trace, specification, sites=sites, cpoints=cpoints, statements=statements)
