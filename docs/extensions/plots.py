"""Tables of the evaluation pages as plots, in the site only: what a page shows stands in it once.

    <!-- bars | FIRST HEADING OF THE TABLE | COLUMN; COLUMN... | label of the axis -->

is replaced by a bar for every number in these columns, row by row; on a logarithmic axis where
they are far apart. Cells without a number have no bar.
"""

from __future__ import annotations

import io
import re

import matplotlib
from sphinx.application import Sphinx

matplotlib.use("svg")
from matplotlib import pyplot

PLOT = re.compile(
    r"^<!-- bars \| (?P<table>[^|]+) \| (?P<columns>[^|]+) \| (?P<label>[^|\n]+) -->$", re.MULTILINE
)
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
FAR_APART = 30


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", draw_all)
    return {"parallel_read_safe": True}


def draw_all(_app: Sphinx, name: str, source: list[str]) -> None:
    text = source[0]
    source[0] = PLOT.sub(lambda found: f"```{{raw}} html\n{draw(name, text, found)}\n```", text)


def draw(name: str, text: str, wanted: re.Match[str]) -> str:
    """An SVG picture of what a comment wants."""
    columns = [column.strip() for column in wanted["columns"].split(";")]
    rows = read_table(name, text, wanted["table"], columns)
    figure, axes = pyplot.subplots(figsize=(7, 0.6 + 0.16 * len(rows) * (len(columns) + 1)))
    thickness = 0.8 / len(columns)
    for number, column in enumerate(columns):
        shown = [(place, row[column]) for place, (_, row) in enumerate(rows) if column in row]
        axes.barh(
            [place + (number - (len(columns) - 1) / 2) * thickness for place, _ in shown],
            [value for _, value in shown],
            thickness,
            label=column,
        )
    values = [value for _, row in rows for value in row.values() if value > 0]
    if max(values) > FAR_APART * min(values):
        axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.invert_yaxis()
    axes.set_xlabel(wanted["label"])
    axes.legend(loc="best", fontsize="small")
    written = io.StringIO()
    figure.savefig(written, format="svg", bbox_inches="tight")
    pyplot.close(figure)
    return re.sub(r"\A.*?(?=<svg)", "", written.getvalue(), flags=re.DOTALL).replace("\n\n", "\n")


def read_table(
    name: str, text: str, heading: str, columns: list[str]
) -> list[tuple[str, dict[str, float]]]:
    """The rows of a table: what each is about, and its numbers by column."""
    found = re.search(
        rf"^\| {re.escape(heading)} \|.*\n\|[ :|-]+\n((?:\|.*\n)+)", text, re.MULTILINE
    )
    if found is None:
        raise ValueError(f"{name}: no table begins with the heading {heading!r}")
    names = cells(found[0].splitlines()[0])
    if missing := set(columns) - set(names):
        raise ValueError(f"{name}: the table {heading!r} has no column {missing}")
    rows = []
    for line in found[1].splitlines():
        row = dict(zip(names, cells(line), strict=True))
        numbers = {column: NUMBER.match(row[column]) for column in columns}
        rows.append(
            (
                row[heading].strip("*"),
                {column: float(n[0].replace(",", "")) for column, n in numbers.items() if n},
            )
        )
    return rows


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
