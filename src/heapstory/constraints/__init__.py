"""Constraint specifications: what must hold of a data structure; knows the trace it is bound to.

Text becomes syntax (`language`), its types are found in the trace (`binding`), and both become a
plan for the engine (`compile`, `plan`).

>>> from heapstory import constraints
>>> specification = constraints.load("avl.spec")
>>> compiled = constraints.compile_for(specification, trace, {"node": "avl.c:12"})
>>> compiled.plan.constraints[0].words
>>> print(constraints.explain(specification))
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.constraints.compile.compiling import Compiled
    from heapstory.constraints.language.syntax import Specification
    from heapstory.trace import Trace

LIBRARY = Path(__file__).parent / "library"


def load(path: str | os.PathLike[str]) -> Specification:
    """A specification from a file, or one of the library by its name (``avl_tree``)."""
    from heapstory.constraints.language.reading import parse

    file = Path(path)
    if not file.exists() and (LIBRARY / f"{path}.spec").exists():
        file = LIBRARY / f"{path}.spec"
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        names = ", ".join(library())
        raise UsageError(
            f"cannot read the specification {path}: {why} (the library has {names})"
        ) from None
    return parse(text, str(path))


def library() -> list[str]:
    """The names of the specifications that come with heapstory."""
    return sorted(file.stem for file in LIBRARY.glob("*.spec"))


def compile_for(
    specification: Specification,
    trace: Trace,
    sites: Mapping[str, str | Sequence[str]] | None = None,
) -> Compiled:
    """The plan of a specification for a trace. `sites` binds types to allocation sites,
    ``{"node": "list.c:12"}`` (or a list of them); the others are bound by their name in the debug
    information."""
    from heapstory.constraints.binding.traced import TraceBinding
    from heapstory.constraints.compile.compiling import compile_plan

    return compile_plan(specification, TraceBinding(trace, sites))


def explain(specification: Specification) -> str:
    """What a specification says, in plain words; no trace is needed."""
    from heapstory.constraints.binding.untraced import NoTrace
    from heapstory.constraints.compile.compiling import compile_plan
    from heapstory.constraints.plan.words import explain_plan

    compiled = compile_plan(specification, NoTrace(specification))
    return explain_plan(compiled.plan) + "".join(f"\n{w}" for w in compiled.warnings)
