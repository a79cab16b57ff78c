"""The specifications that come with heapstory."""

from __future__ import annotations

import pytest

from heapstory import constraints
from heapstory.constraints.binding.untraced import NoTrace
from heapstory.constraints.compile.compiling import compile_plan
from heapstory.errors import UsageError

# Table 2.2 of the thesis: statements needed there.
TABLE_2_2 = {
    "circular_list": 3,
    "doubly_linked_list": 2,
    "binary_tree": 3,
    "binary_heap": 4,
    "b_tree": 6,
    "quad_tree": 4,
    "avl_tree": 6,
    "red_black_tree": 9,
    "leftist_heap": 5,
    "kary_tree": 4,
}
OTHERS = {
    "ordered_list",
    "bipartite_graph",
    "splay_tree",
    "multidimensional_array",
    "hash_table",
    "skip_list",
    "trie",
    "ring_buffer",
    "intrusive_list",
    "bplus_tree",
    "glibc_free_list",
}


def test_all_are_there() -> None:
    assert set(constraints.library()) == {*TABLE_2_2, *OTHERS}


@pytest.mark.parametrize("name", sorted(TABLE_2_2))
def test_no_more_statements_than_the_thesis_needs(name: str) -> None:
    assert constraints.load(name).size <= TABLE_2_2[name]


@pytest.mark.parametrize("name", sorted({*TABLE_2_2, *OTHERS}))
def test_each_compiles_and_nothing_in_it_is_odd(name: str) -> None:
    specification = constraints.load(name)
    compiled = compile_plan(specification, NoTrace(specification))
    assert compiled.warnings == ()
    assert compiled.plan.constraints


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"cannot read .*the library has .*avl_tree"):
        constraints.load("no_such_structure")
