"""Commands that pages only name, since they take long or need other programs, exist."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from heapstory.commands import VERBS, build_parser
from tests.support.programs import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# Pages that describe what was, not what is.
PAGES.remove(ROOT / "CHANGELOG.md")
CODE = re.compile(r"^```.*?^```$|`[^`]+`", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
TARGETS = set(re.findall(r"^([a-z-]+)%?:", (ROOT / "Makefile").read_text(), re.MULTILINE))


def commands(page: Path, pattern: str) -> Iterator[re.Match[str]]:
    """What code of a page has of this form; a line that ends in a backslash goes on."""
    for code in CODE.findall(page.read_text()):
        yield from re.finditer(pattern, code.replace("\\\n", " "))


@cache
def options(verb: str) -> set[str]:
    verbs = next(
        action
        for action in build_parser(only=verb)._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return {word for action in verbs.choices[verb]._actions for word in action.option_strings}


@cache
def benchmark_options() -> set[str]:
    text = "".join(path.read_text() for path in (ROOT / "benchmarks").rglob("*.py"))
    return {word.strip('"') for word in re.findall(r'"--[\w-]+"', text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_exists(page: Path) -> None:
    for verb, words in (
        match.groups()
        for match in commands(page, rf"\bheapstory ({'|'.join(VERBS)})\b([^`\n|;'\"]*)")
    ):
        own = re.split(r"\s--\s", words)[0]  # what follows is the program's
        assert set(OPTION.findall(own)) <= options(verb), (verb, words)
    for module, words in (
        match.groups() for match in commands(page, r"python3? -m (benchmarks[\w.]*)([^`\n]*)")
    ):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module
        assert set(OPTION.findall(words)) <= benchmark_options(), (module, words)
    for match in commands(page, r"(?m)(?:^|`|&& )make ([a-z][a-z-]*)"):
        assert match[1] in TARGETS or match[1].startswith("bench-"), match[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    """The site checks headings as well, but only of its own pages."""
    text = CODE.sub("", page.read_text())
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []
