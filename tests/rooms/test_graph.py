"""What counts as a use, and that a cycle is found wherever it hides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rooms.graph import cycle, folders, native_uses, python_uses


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def used(root: Path, text: str) -> list[str]:
    files = {
        "p/__init__.py": "",
        "p/a.py": "",
        "p/r/__init__.py": "",
        "p/r/b.py": "",
        "p/_c.pyi": "",
    }
    uses = python_uses(tree(root, {**files, "p/s/me.py": text}), "p")
    assert all(use.file == Path("p/s/me.py") for use in uses)
    return [f"{use.line} {use.used}" for use in uses]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import os, p.a", ["1 p/a.py"]),
        ("from p import a", ["1 p/a.py"]),
        ("from p import _c", ["1 p/_c.pyi"]),
        ("from p import name", ["1 p/__init__.py"]),
        ("from p.r import b, name", ["1 p/r/b.py", "1 p/r/__init__.py"]),
        ("from p.r.b import name", ["1 p/r/b.py"]),
        ("from ..r import b", ["1 p/r/b.py"]),
        ("from .. import a", ["1 p/a.py"]),
        ("def f():\n    import p.a", ["2 p/a.py"]),
        ("if TYPE_CHECKING:\n    from p.a import X", ["2 p/a.py"]),
        ("from os import path\n", []),
    ],
)
def test_imports(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert used(tmp_path, text) == expected


def test_includes(tmp_path: Path) -> None:
    files = {
        "core/a/x.h": '#include "y.h"\n#include <stdio.h>\n',
        "core/a/y.h": '# include "b/z.h"\n#include "pub_tool_basics.h"\n',
        "core/b/z.h": '#include "../a/x.h"\n',
        "core/b/y.h": "",
    }
    found = [str(use) for use in native_uses(tree(tmp_path, files))]
    assert found == [
        "core/a/x.h:1 uses core/a/y.h",
        "core/a/y.h:1 uses core/b/z.h",
        "core/b/z.h:1 uses core/a/x.h",
    ]


def cycles(root: Path, files: dict[str, str]) -> dict[str, list[str]]:
    uses = python_uses(tree(root, files), "p")
    found = {str(folder): cycle(folder, uses) for folder in folders(uses)}
    return {folder: sorted(map(str, way)) for folder, way in found.items() if way}


def test_a_cycle_between_rooms_whose_files_have_none(tmp_path: Path) -> None:
    files = {
        "p/a/one.py": "import p.b.one",
        "p/a/two.py": "",
        "p/b/one.py": "",
        "p/b/two.py": "def later():\n    import p.a.two",
    }
    uses = ["p/a/one.py:1 uses p/b/one.py", "p/b/two.py:2 uses p/a/two.py"]
    assert cycles(tmp_path, files) == {"p": uses}


def test_a_cycle_between_files_of_one_room(tmp_path: Path) -> None:
    files = {
        "p/a/one.py": "import p.a.two",
        "p/a/two.py": "import p.a.one",
        "p/b.py": "import p.a.one",
    }
    uses = ["p/a/one.py:1 uses p/a/two.py", "p/a/two.py:1 uses p/a/one.py"]
    assert cycles(tmp_path, files) == {"p/a": uses}


def test_a_house_without_cycles(tmp_path: Path) -> None:
    files = {"p/__init__.py": "import p.a.one", "p/a/one.py": "import p.b", "p/b.py": "import os"}
    assert cycles(tmp_path, files) == {}
