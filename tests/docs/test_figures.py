"""The figures that README's table repeats are those of the pages it names."""

from __future__ import annotations

import re

from tests.support.programs import ROOT


def row(page: str, begin: str) -> list[str]:
    """The cells of a table's first row that begins with these words."""
    lines = (ROOT / page).read_text().splitlines()
    found = next(line for line in lines if line.startswith(f"| {begin} |"))
    return [cell.strip() for cell in found.strip("|").split("|")]


def cost(page: str) -> str:
    """What the table says of a row that refers to a page for its figure."""
    lines = (ROOT / "README.md").read_text().splitlines()
    (found,) = (line for line in lines if f"[measured](docs/evaluation/{page})" in line)
    return found.strip("|").split("|")[-1]


def test_recording_beside_memcheck() -> None:
    cells = row("docs/evaluation/record.md", "**geometric mean**")
    native, _, memcheck, record = map(float, cells[1:5])
    begin = f" {record / native:.0f} × native on ten programs, {cells[-1]} × Memcheck"
    assert cost("record.md").startswith(begin)
    same = f" {memcheck / native:.0f} × native on the same ten"
    assert same in (ROOT / "README.md").read_text()


def test_address_sanitizer() -> None:
    figures = [float(row("docs/evaluation/guard.md", name)[-1]) for name in ("churn", "threads")]
    said = [int(figure) for figure in re.findall(r"\d+", cost("guard.md").split("×")[0])]
    assert said == [round(figure) for figure in figures]


def test_memray() -> None:
    native, run = (
        float(row("docs/evaluation/record.md", name)[-1]) for name in ("native", "`memray run`")
    )
    assert f" {run / native:.1f} × native" in cost("record.md#memray")
