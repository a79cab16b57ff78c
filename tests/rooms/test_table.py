"""The rooms of the architecture page are those that there are, and know what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rooms.graph import Use, native_uses, python_uses
from tests.rooms.table import Rooms, read
from tests.support.programs import ROOT

PAGE = ROOT / "docs/internals/architecture.md"


@pytest.fixture(scope="module", params=["python", "native"])
def house(request: pytest.FixtureRequest) -> tuple[Path, Rooms, list[Use]]:
    """One of the two trees: its folder, the table of its rooms, and who uses whom in it."""
    text = PAGE.read_text()
    if request.param == "native":
        tree = ROOT / "native"
        return tree, read(text, "### native"), native_uses(tree)
    tree = ROOT / "src/heapstory"
    uses = [
        Use(use.file.relative_to("heapstory"), use.line, use.used.relative_to("heapstory"))
        for use in python_uses(ROOT / "src", "heapstory")
    ]
    return tree, read(text, "### src/heapstory"), uses


def test_every_room_of_the_table_is_there(house: tuple[Path, Rooms, list[Use]]) -> None:
    tree, rooms, _ = house
    assert rooms.may_know
    named = {room for row in rooms.may_know.items() for room in (row[0], *row[1])}
    assert [str(room) for room in named if not (tree / room).exists()] == []


def test_every_file_is_in_a_room(house: tuple[Path, Rooms, list[Use]]) -> None:
    _, rooms, uses = house
    files = {file for use in uses for file in (use.file, use.used)}
    assert [str(file) for file in sorted(files) if rooms.of(file) is None] == []


def test_a_room_knows_only_rooms_above_it(house: tuple[Path, Rooms, list[Use]]) -> None:
    _, rooms, _ = house
    above: list[Path] = []
    for room, known in rooms.may_know.items():
        assert set(known) <= set(above), f"{room} stands above {set(known) - set(above)}"
        above.append(room)


def test_no_file_uses_what_its_room_may_not_know(house: tuple[Path, Rooms, list[Use]]) -> None:
    _, rooms, uses = house
    wrong = [str(use) for use in uses if not rooms.allow(use.file, use.used)]
    assert not wrong, "not in the table of docs/internals/architecture.md:\n" + "\n".join(wrong)


TABLE = """
### rooms
| room | for | may know |
|---|---|---|
| `a` | first | |
| `a/b` | inside | `a` |
| `c.py` | a file | `a/b` |
| `d` | another | `a/*` |
| `e` | last | all above |
## next
| `f` | elsewhere | `a` |
"""


@pytest.mark.parametrize(
    ("user", "used", "allowed"),
    [
        ("a/x.py", "a/y.py", True),
        ("a/x.py", "a/b/y.py", False),
        ("a/b/x.py", "a/y.py", True),
        ("c.py", "a/b/y.py", True),
        ("c.py", "a/y.py", False),
        ("d/x.py", "a/b/y.py", True),
        ("d/x.py", "a/y.py", True),
        ("d/x.py", "c.py", False),
        ("e/x.py", "c.py", True),
        ("c.py", "e/x.py", False),
    ],
)
def test_what_a_table_allows(user: str, used: str, allowed: bool) -> None:
    rooms = read(TABLE, "### rooms")
    assert list(map(str, rooms.may_know)) == ["a", "a/b", "c.py", "d", "e"]
    assert rooms.allow(Path(user), Path(used)) == allowed
