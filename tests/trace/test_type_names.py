"""Names of types as people write them."""

from __future__ import annotations

import pytest

from heapstory.store.type_names import meant, short_name, written_name

TEXT = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("struct node", "struct node"),
        (TEXT, "std::string"),
        (f"std::vector<{TEXT}, std::allocator<{TEXT} > >", "std::vector<std::string>"),
        (
            "std::map<int, long, std::less<int>, std::allocator<std::pair<int const, long> > >",
            "std::map<int, long>",
        ),
        ("std::unique_ptr<Tree, std::default_delete<Tree> > *", "std::unique_ptr<Tree> *"),
        ("std::unique_ptr<Tree, Closer>", "std::unique_ptr<Tree, Closer>"),
        (f"app::Map<{TEXT}, int>::Entry", "app::Map<std::string, int>::Entry"),
        ("alloc::boxed::Box<main::Node, alloc::alloc::Global>",) * 2,
        ("cut<off", "cut<off"),
    ],
)
def test_written_names(name: str, written: str) -> None:
    assert written_name(name) == written


def test_short_names() -> None:
    assert short_name("struct node") == "node"
    assert short_name(f"app::Map<{TEXT}, int>::Entry") == "Entry"
    assert short_name("ns::List<int>") == "List"


def test_what_a_name_means() -> None:
    names = ["struct node", "app::node", "app::Map<int, int>::Entry", "List<int>", "List<long>"]
    assert meant("node", names) == ["struct node"]
    assert meant("app::node", names) == ["app::node"]
    assert meant("Entry", names) == ["app::Map<int, int>::Entry"]
    assert meant("List", names) == ["List<int>", "List<long>"]
    assert meant("List<long>", names) == ["List<long>"]
    assert meant("tree", names) == []
