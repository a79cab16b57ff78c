"""The library of one-line statements: each stands for constraints written in the language itself.

The first argument may name the type (or a variable of it); without it the one declared type that
has the fields is meant. X and Y are variables of it, ``{fields}`` is the list of fields, other
words in braces are arguments by name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """How a one-liner is called (leading fields, then named arguments) and what it stands for.

    It may go on with fields of another type, the `ends`, which lead into the structure: the first
    is a root then, and `end_lines` are about X of that other type.
    """

    fields: bool
    arguments: tuple[str, ...]
    lines: tuple[str, ...]
    ends: tuple[str, ...] = ()
    end_lines: tuple[str, ...] = ()

    def usage(self, name: str) -> str:
        """``tree(field, …)``."""
        inside = (["field, …"] if self.fields else []) + list(self.arguments)
        ends = f" [, {', '.join(f'LIST.{end}' for end in self.ends)}]" if self.ends else ""
        return f"{name}({', '.join(inside)}{ends})"


ONE_LINERS: dict[str, Form] = {
    "acyclic": Form(True, (), ("no_cycle: X -[{fields}]->> Y => Y -[{fields}]/>> X;",)),
    "inverse": Form(
        False,
        ("to", "back"),
        (
            "there_and_back: X.{to} != NULL => X.{to}.{back} == X;",
            "back_and_there: X.{back} != NULL => X.{back}.{to} == X;",
        ),
    ),
    "list": Form(
        True, (), ("one_way_in: X.INDEGREE[{fields}] <= 1;", "acyclic({fields});"), ("head",)
    ),
    "dlist": Form(
        False,
        ("next", "prev"),
        (
            "inverse({next}, {prev});",
            "acyclic({next});",
            "one_head: X.{prev} == NULL and Y.{prev} == NULL => X == Y;",
        ),
        ("head", "tail"),
        (
            "first: X.{head} != NULL => X.{head}.{prev} == NULL;",
            "last: X.{tail} != NULL => exists {type} Y: X.{tail} == Y and Y.{next} == NULL;",
            "no_first: X.{head} == NULL => X.{tail} == NULL;",
            "no_last: X.{tail} == NULL => X.{head} == NULL;",
        ),
    ),
    "circular": Form(
        True,
        (),
        ("one_way_in: X.INDEGREE[{fields}] == 1;", "one_ring: X -[{fields}]->> Y;"),
    ),
    "forest": Form(
        True, (), ("one_parent: X.INDEGREE[{fields}] <= 1;", "acyclic({fields});"), ("root",)
    ),
    "tree": Form(
        True,
        (),
        (
            "forest({fields});",
            "one_root: X.ISROOT[{fields}] == true and Y.ISROOT[{fields}] == true => X == Y;",
        ),
        ("root",),
    ),
    "bst": Form(
        False,
        ("left", "right", "key"),
        (
            "tree({left}, {right});",
            "left_is_less: MAX(X.{left}, {key}, [{left}, {right}]) < X.{key};",
            "right_is_more: MIN(X.{right}, {key}, [{left}, {right}]) > X.{key};",
        ),
        ("root",),
    ),
    "heap": Form(
        True,
        ("key",),
        ("tree({fields});", "no_less_below: X -[{fields}]-> Y => X.{key} <= Y.{key};"),
        ("root",),
    ),
    "sorted": Form(
        False,
        ("next", "key"),
        ("ascending: X.{next} != NULL => X.{key} <= X.{next}.{key};",),
    ),
    "unique": Form(False, ("key",), ("once: X.{key} == Y.{key} => X == Y;",)),
    "connected": Form(True, (), ("all_from_all: X -[{fields}]->> Y;",)),
}
