"""Puts a generated part into a page, between two marks that stay there."""

from pathlib import Path


class PageError(Exception):
    """The page has no place for this part."""


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, numbers to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def put(page: Path, part: str, text: str) -> None:
    """Replaces what stands between ``<!-- part -->`` and ``<!-- /part -->``."""
    begin, end = f"<!-- {part} -->", f"<!-- /{part} -->"
    content = page.read_text()
    if content.count(begin) != 1 or content.count(end) != 1:
        raise PageError(f"{page}: needs one {begin} and one {end}")
    before, rest = content.split(begin)
    after = rest.split(end)[1]
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}")
