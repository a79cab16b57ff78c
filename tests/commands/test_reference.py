"""The reference names every verb and every option."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import pytest

from heapstory.commands import VERBS, build_parser
from tests.support.programs import ROOT

REFERENCE = ROOT / "docs" / "reference"


def options(verb: str) -> Iterator[list[str]]:
    """The spellings of every option that the help shows."""
    verbs = next(
        action
        for action in build_parser(only=verb)._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    for action in verbs.choices[verb]._actions:
        if action.option_strings and action.help != argparse.SUPPRESS and action.dest != "help":
            yield list(action.option_strings)


def text_of(verb: str) -> str:
    """What the reference says of a verb: a section of commands.md, or a page of its own."""
    section = re.search(
        rf"^## {verb}\n(.*?)(?=^## |\Z)", (REFERENCE / "commands.md").read_text(), re.M | re.S
    )
    page = REFERENCE / f"{verb}.md"
    return section[1] if section else page.read_text()


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_is_in_the_reference(verb: str) -> None:
    text = text_of(verb)
    missing = [
        spellings
        for spellings in options(verb)
        if not any(re.search(rf"(?<![\w-]){each}(?![\w-])", text) for each in spellings)
    ]
    assert missing == []
