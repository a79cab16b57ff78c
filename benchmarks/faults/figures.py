"""The tables of docs/evaluation/locate.md from what the campaign kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

from benchmarks.faults.campaign import TEN, Cell
from benchmarks.support.page import table
from heapstory import constraints
from tests.locating.faults.mutant import NAMES, STRUCTURES
from tests.locating.faults.operators import OPERATORS
from tests.locating.faults.trial import Answer, Trial

NONE = "–"
COLUMNS = ["shipped, end", "shipped, default", "own, end", "own, default"]

# The thesis' Table 4.1: lines, statements of its own answer, dynamic slice, Tarantula; and Table
# 4.2: milliseconds native, null tool, recorded, matching; seconds of location.
THESIS: dict[str, tuple[int, int, int, int]] = {
    "circular": (160, 6, 7, 7),
    "ordered": (172, 2, 20, 7),
    "doubly": (203, 5, 38, 17),
    "quad": (294, 1, 58, 9),
    "avl": (243, 4, 9, 10),
    "btree": (405, 6, 8, 8),
    "redblack": (395, 10, 24, 13),
    "leftist": (274, 1, 28, 11),
    "bipartite": (284, 2, 32, 8),
}
THESIS_TIMES: dict[str, tuple[float, int, int, int, float]] = {
    "circular": (0.5, 645, 664, 1, 0.75),
    "ordered": (0.9, 638, 677, 1, 0.02),
    "doubly": (0.7, 653, 673, 1, 0.25),
    "quad": (2.6, 713, 885, 36, 9.22),
    "avl": (1.6, 739, 864, 25, 1.18),
    "btree": (1.5, 722, 767, 4, 73.39),
    "redblack": (0.4, 661, 711, 31, 72.21),
    "leftist": (0.4, 664, 720, 27, 2.21),
    "bipartite": (8.2, 659, 748, 2, 3.32),
}


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else NONE


def spread(numbers: Iterable[float | None]) -> str:
    """Median and greatest."""
    known = [number for number in numbers if number is not None]
    return f"{median(known):g} ({max(known):g})" if known else NONE


def singles(cells: list[Cell]) -> list[Trial]:
    return [trial for cell in cells if cell.operator != TEN for trial in cell.trials]


def tens(cells: list[Cell]) -> list[Trial]:
    return [trial for cell in cells if cell.operator == TEN for trial in cell.trials]


def _answers(trials: list[Trial], column: str) -> list[Answer]:
    return [trial.answers[column] for trial in trials]


def _scores(trials: list[Trial], column: str) -> list[str]:
    """Detection, capture of the detected, statements in the answer, rank of the fault in it."""
    answers = _answers(trials, column)
    found = [answer for answer in answers if answer.detected]
    hits = [answer for answer in found if answer.captured]
    return [percent(len(found), len(answers)), percent(len(hits), len(found)),
            spread(answer.statements for answer in found),
            spread(answer.rank for answer in hits)]  # fmt: skip


def precision(cells: list[Cell], peers: dict[str, Any]) -> str:
    """Table 4.1, the thesis' columns and ours."""
    head = ["structure", "lines", "thesis", "thesis' slice", "Tarantula", "one fault, end",
            "one fault, default", "ten faults, end", "our slice", "wrote its edges",
            "our Tarantula", "our Ochiai", "either, at best"]  # fmt: skip
    rows = []
    for name, title in NAMES.items():
        lines, own, slice_, tarantula = THESIS.get(name, (NONE,) * 4)
        ours = len((STRUCTURES / f"{name}.c").read_text().splitlines())
        mine = [trial for trial in singles(cells) if trial.program == name]
        ten = [trial for trial in tens(cells) if trial.program == name]
        ranks = peers.get("spectra", {}).get(name, [])
        slices = peers.get("slices", {}).get(name, [])
        rows.append([
            title, f"{lines} / {ours}", str(own), str(slice_), str(tarantula),
            _scores(mine, "shipped, end")[2], _scores(mine, "shipped, default")[2],
            _scores(ten, "shipped, end")[2], spread(one["largest"] for one in slices),
            str(peers.get("writers", {}).get(name, NONE)),
            *(spread(rank[key] for rank in ranks) for key in ("tarantula", "ochiai", "alone")),
        ])  # fmt: skip
    return table(head, rows)


def scores(cells: list[Cell], key: Callable[[Trial], str], names: dict[str, str],
           columns: list[str]) -> str:  # fmt: skip
    """Detection, capture, statements and rank, grouped."""
    head = [""] + [f"{column}: {what}" for column in columns
                   for what in ("detected", "captured", "statements", "rank")]  # fmt: skip
    head.insert(1, "mutants")
    rows = []
    for group, title in [*names.items(), ("", "**all**")]:
        mine = [trial for trial in singles(cells) if not group or key(trial) == group]
        row = [title, str(len(mine))]
        for column in columns:
            row += _scores(mine, column)
        rows.append(row)
    return table(head, rows)


def by_program(cells: list[Cell], specification: str) -> str:
    columns = [f"{specification}, end", f"{specification}, default"]
    return scores(cells, lambda trial: trial.program, NAMES, columns)


def by_operator(cells: list[Cell]) -> str:
    names = {name: name for name in OPERATORS}
    return scores(cells, lambda trial: trial.operator, names, ["shipped, end", "shipped, default"])


def by_kind(cells: list[Cell]) -> str:
    """Faults that change nodes themselves, and those that leave something out."""
    names = {"True": "the fault writes", "False": "the fault executes nothing"}
    columns = ["shipped, default", "own, default"]
    return scores(cells, lambda trial: str(trial.executes), names, columns)


def left_out(cells: list[Cell]) -> str:
    """Mutants that the oracle found harmless, by program."""
    reasons = sorted({reason for cell in cells for reason in cell.left_out})
    rows = []
    for name, title in NAMES.items():
        counts: Counter[str] = Counter()
        for cell in cells:
            if cell.program == name and cell.operator != TEN:
                counts.update(cell.left_out)
        tried = [trial for trial in singles(cells) if trial.program == name]
        rows.append([title, str(len(tried)), *(str(counts[reason]) for reason in reasons)])
    return table(["", "tried", *reasons], rows)


def misses(cells: list[Cell], column: str) -> list[str]:
    """The mutants that were not found, and those whose answer misses the fault."""
    said = []
    for trial in singles(cells):
        answer = trial.answers[column]
        if answer.problem:
            said.append(f"{trial.name}: {answer.problem}")
        elif not answer.detected:
            said.append(f"{trial.name}: not detected (oracle: {trial.oracle}, {trial.ended})")
        elif not answer.captured:
            said.append(f"{trial.name}: answer names lines {answer.lines}")
    return said


def verdicts(cells: list[Cell], column: str = "shipped, default") -> list[str]:
    """Every goal with what was measured."""
    trials = singles(cells)
    found = [a for a in _answers(trials, column) if a.detected]
    hits = [a for a in found if a.captured]
    lines = [_held(f"detection {percent(len(found), len(trials))} of {len(trials)} (goal 95 %)",
                   len(found) >= 0.95 * len(trials)),
             _held(f"capture {percent(len(hits), len(found))} of {len(found)} (goal 100 %)",
                   len(hits) == len(found))]  # fmt: skip
    for name, title in NAMES.items():
        sizes = [t.answers[column].statements for t in trials
                 if t.program == name and t.answers[column].detected]  # fmt: skip
        if sizes:
            text = f"{title}: statements {spread(sizes)} (goal 2, at most 5)"
            lines.append(_held(text, median(sizes) <= 2 and max(sizes) <= 5))
    return lines


def times(measured: dict[str, dict[str, float]]) -> str:
    """Table 4.2, the thesis' figures and ours, in milliseconds."""
    head = ["milliseconds", "native", "null tool", "recorded", "matching", "location", "native",
            "null tool", "recorded", "loading", "matching", "location"]  # fmt: skip
    rows = []
    for name, title in NAMES.items():
        theirs = [NONE] * 5
        if name in THESIS_TIMES:
            *times, location = THESIS_TIMES[name]
            theirs = [f"{one:g}" for one in (*times, 1000 * location)]
        ours = measured[name]
        keys = ("native", "null", "recorded", "load", "check", "locate")
        rows.append([title, *theirs, *(f"{ours[key]:.3g}" for key in keys)])  # fmt: skip
    return table(head, rows)


def correct(rows: list[dict[str, Any]]) -> str:
    """Reports about correct programs, of all runs."""
    columns = sorted({row["column"] for row in rows})
    body = []
    for name in dict.fromkeys(row["program"] for row in rows):
        mine = [row for row in rows if row["program"] == name]
        cells = [[row["found"] for row in mine if row["column"] == column] for column in columns]
        body.append([name, *(f"{sum(map(bool, cell))} of {len(cell)}" for cell in cells)])
    return table(["false alarms", *columns], body)


# Table 2.2: the library's name, the thesis' statements, Archie's.
SIZES = {
    "circular_list": (3, "7"),
    "doubly_linked_list": (2, "8"),
    "binary_tree": (3, "13"),
    "binary_heap": (4, "14"),
    "b_tree": (6, "21"),
    "quad_tree": (4, "23"),
    "avl_tree": (6, NONE),
    "red_black_tree": (9, NONE),
    "leftist_heap": (5, NONE),
    "kary_tree": (4, "4K+7"),
}


def sizes() -> str:
    """Statements of the shipped specifications, as Table 2.2 counts them."""
    rows = [[name, str(constraints.load(name).size), str(thesis), archie]
            for name, (thesis, archie) in SIZES.items()]  # fmt: skip
    return table(["specification", "ours", "thesis", "Archie"], rows)


def _held(text: str, fine: bool) -> str:
    return f"{'held' if fine else 'MISSED'}: {text}"
