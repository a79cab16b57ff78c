"""Writing what was inferred as a specification that a person would be glad to edit."""

from __future__ import annotations

import re
import textwrap

from heapstory.inference.facts import TypeFacts
from heapstory.inference.inferred import Inferred, Kept

TITLES = {
    "shape": "Shape",
    "order": "Order",
    "links": "Pointers that answer each other",
    "heights": "Heights and counts",
    "values": "Values",
}
SURE = 50  # bindings that make a constraint more than a guess
WIDTH = 100


def write_specification(inferred: Inferred) -> str:
    """The text of the specification, with comments on where it comes from."""
    sources = inferred.sources
    runs = "run" if len(sources) == 1 else "runs"
    lines = [
        f"# Inferred from {len(sources)} good {runs}: {', '.join(sources)}.",
        f"# {len(inferred.kept)} of {inferred.tried} candidate constraints held at all "
        f"{inferred.cpoints} C-points.",
        "# Read it, delete what is chance, keep what is meant. A number after a constraint says",
        "# how often it was put to the test in a sample; lines that start with #? are doubtful.",
    ]
    for facts in inferred.types:
        lines += ["", *_type(facts, inferred)]
    if inferred.pause:
        lines += [
            "",
            "# Inside these functions the structure may be inconsistent.",
            f"pause in {', '.join(inferred.pause)};",
        ]
    return "\n".join(lines) + "\n"


def _type(facts: TypeFacts, inferred: Inferred) -> list[str]:
    lines = _folded(facts.type_line())
    if facts.roots:
        lines.append(f"root: {facts.name} from {', '.join(facts.roots)};")
    mine = [kept for kept in inferred.kept if kept.candidate.type == facts.name]
    short = _short(facts, inferred)
    body = []
    for text in dict.fromkeys(k.candidate.attribute for k in mine if k.candidate.attribute):
        if _is_used(text, mine):
            body += _attribute(_renamed(text, short))
    for group, title in TITLES.items():
        here = [kept for kept in mine if kept.candidate.group == group]
        if here:
            body.append(f"# {title}.")
        for kept in sorted(here, key=lambda k: (k.candidate.doubtful, -(k.support or SURE))):
            body += _constraint(kept, short)
    if facts.edges and facts.words and not any(k.candidate.group == "order" for k in mine):
        lines += [
            f"# {name} is a void *: an order of what it points to is not looked for "
            f"(say its type, {name}^ : int;)"
            for name in facts.words
        ]
    return lines + _declared(facts.name, short, body) + body


def _declared(name: str, short: dict[str, str], body: list[str]) -> list[str]:
    """The declaration of the variables that are used; a doubtful one if only doubtful lines do."""

    def used(lines: list[str]) -> list[str]:
        return [v for v in short.values() if any(re.search(rf"\b{v}\b", line) for line in lines)]

    sure = used([line for line in body if not line.startswith("#")])
    if sure:
        return [f"{name} {', '.join(sure)};"]
    doubtful = used([line for line in body if line.startswith("#?")])
    return [f"#? {name} {', '.join(doubtful)};"] if doubtful else []


def _attribute(text: str) -> list[str]:
    """An attribute's name, then its rule."""
    name, _, rule = text.partition("; ")
    terminal, otherwise, value = rule.partition(" || ")
    if len(rule) < WIDTH or not otherwise:
        return [f"{name};", *_folded(rule)]
    return [f"{name};", *_folded(f"{terminal} ||"), *_folded(value)]


def _is_used(attribute: str, mine: list[Kept]) -> bool:
    return any(k.candidate.attribute == attribute and not k.candidate.doubtful for k in mine)


def constraint_text(kept: Kept, inferred: Inferred) -> str:
    """One constraint as it stands in the specification."""
    facts = next(t for t in inferred.types if t.name == kept.candidate.type)
    return _renamed(kept.candidate.text, _short(facts, inferred))


def _short(facts: TypeFacts, inferred: Inferred) -> dict[str, str]:
    """X and Y for the variables of the only type; with several, letters of each type's own."""
    position = [t.name for t in inferred.types].index(facts.name)
    letters = [("X", "Y"), ("P", "Q"), ("U", "V"), ("A", "B"), ("E", "F"), ("M", "N")]
    x, y = letters[position % len(letters)]
    if position >= len(letters):
        x, y = f"{x}{position}", f"{y}{position}"
    return {f"X_{facts.name}": x, f"Y_{facts.name}": y}


def _renamed(text: str, short: dict[str, str]) -> str:
    for long, name in short.items():
        text = re.sub(rf"\b{long}\b", name, text)
    return text


def _constraint(kept: Kept, short: dict[str, str]) -> list[str]:
    candidate = kept.candidate
    lines = _folded(_renamed(candidate.text, short))
    if kept.support is not None:
        lines[-1] += f"  # {kept.support}"
    return [f"#? {line}" for line in lines] if candidate.doubtful else lines


def _folded(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH - 12, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
