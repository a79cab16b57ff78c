"""What the pages for contributors name is there: files, folders, functions in them, targets."""

from __future__ import annotations

import re

import pytest

from tests.support.programs import ROOT

PAGES = ["CONTRIBUTING.md", "docs/internals/architecture.md"]
TOP = {path.name for path in ROOT.iterdir()}
NAME_IN_FILE = re.compile(r"`([\w:.<>]+)`\s+in\s+`([^`]+)`")


def text_of(page: str) -> str:
    """Without the blocks of commands and pictures."""
    return re.sub(r"^```.*?^```", "", (ROOT / page).read_text(), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_paths(page: str) -> None:
    quoted = re.findall(r"`([^`\s]+)`", text_of(page))
    paths = [
        name for name in quoted if name.split("/")[0] in TOP and not re.search(r"[A-Z]{3}", name)
    ]
    assert len(paths) > 10
    gone = [
        path
        for path in paths
        if not (list(ROOT.glob(path)) if "*" in path else (ROOT / path).exists())
    ]
    assert gone == []


@pytest.mark.parametrize("page", PAGES)
def test_links(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", text_of(page))
    folder = (ROOT / page).parent
    assert [link for link in links if not (folder / link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_names_in_files(page: str) -> None:
    for name, path in NAME_IN_FILE.findall(text_of(page)):
        last = re.split(r"::|\.", name)[-1]
        assert re.search(rf"\b{last}\b", (ROOT / path).read_text()), f"no {name} in {path}"


@pytest.mark.parametrize("page", PAGES)
def test_targets_of_make(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+)%?:", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", (ROOT / page).read_text()))
    assert named <= targets
