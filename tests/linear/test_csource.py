"""Specifications from C: what is extracted, proofs, mutants, and what cannot be modelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.commands import main
from heapstory.linear.budget import Budget
from heapstory.linear.c import extract as csource
from heapstory.linear.formulas.runs import candidate_points
from heapstory.linear.language.syntax import Operation, Specification, SubOperation
from heapstory.linear.program.steps import prepare
from heapstory.linear.proof.houdini import Houdini
from heapstory.linear.proof.sections import atomic_sections
from heapstory.linear.states.exhaustive import Checker
from heapstory.linear.verdict.judge import judge
from heapstory.linear.verdict.report import Options
from tests.linear import LONG
from tests.linear.mutants import EXAMPLES

NAMES = ["treiber_stack", "two_lock_queue", "ms_queue", "coarse_set"]
# (source, what was done, edits, operations that show it)
MUTANTS: list[tuple[str, str, list[tuple[str, str]], int]] = [
    (
        "treiber_stack",
        "pop swings the top without a check",
        [("if (__sync_bool_compare_and_swap(&s->top, top, next)) {", "s->top = next; {")],
        3,
    ),
    (
        "two_lock_queue",
        "dequeue takes no lock",
        [
            ("pthread_mutex_lock(&q->head_lock);", ""),
            ("pthread_mutex_unlock(&q->head_lock);", ""),
        ],
        3,
    ),
    (
        "ms_queue",
        "dequeue swings the head without a check",
        [
            (
                "if (atomic_compare_exchange_strong(&q->head, &old, next)) {",
                "atomic_store(&q->head, next); {",
            )
        ],
        3,
    ),
    (
        "coarse_set",
        "add takes no lock",
        [
            ("node->key = key;\n    pthread_mutex_lock(&s->lock);", "node->key = key;"),
            ("pthread_mutex_unlock(&s->lock);\n        free(node);", "free(node);"),
            ("before->next = node;\n    pthread_mutex_unlock(&s->lock);", "before->next = node;"),
        ],
        2,
    ),
    (
        "coarse_set",
        "remove gives the lock back before it unlinks",
        [
            (
                "    if (before == NULL)\n        s->head = at->next;",
                "    pthread_mutex_unlock(&s->lock);\n"
                "    if (before == NULL)\n        s->head = at->next;",
            ),
            (
                "before->next = at->next;\n    pthread_mutex_unlock(&s->lock);",
                "before->next = at->next;",
            ),
        ],
        3,
    ),
]


def source(name: str) -> Path:
    return EXAMPLES / "c" / f"{name}.c"


def mutated(tmp_path: Path, name: str, edits: list[tuple[str, str]]) -> Path:
    text = source(name).read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / f"{name}.c"
    file.write_text(text)
    return file


def extracted(file: Path) -> Specification:
    spec = csource.extract(str(file), None, None, None).spec
    assert spec is not None
    return spec


@pytest.mark.parametrize("name", NAMES)
def test_every_source_is_proved(name: str) -> None:
    pytest.importorskip("z3")
    report = judge(extracted(source(name)), Options(bound=3, timeout=LONG))
    assert (report.verdict, report.method) == ("proved", "points")


@pytest.mark.parametrize(("name", "edits", "bound"), [(m[0], m[2], m[3]) for m in MUTANTS])
def test_mutants_are_refuted(
    tmp_path: Path, name: str, edits: list[tuple[str, str]], bound: int
) -> None:
    spec = extracted(mutated(tmp_path, name, edits))
    assert judge(spec, Options(bound=bound, timeout=LONG)).verdict == "not-linearizable"


@pytest.mark.parametrize(
    ("name", "edits"),
    [
        *((m[0], m[2]) for m in MUTANTS if m[0] != "coarse_set"),
        # all under the lock, so that its sections are atomic and proofs are quick
        ("coarse_set", [("if (at != NULL && at->key == key) {", "if (0) {")]),
        ("coarse_set", [("before->next = at->next;", "before->next = at;")]),
    ],
)
def test_mutants_are_not_proved(tmp_path: Path, name: str, edits: list[tuple[str, str]]) -> None:
    """Straight to the proof, without the check that would refuse them first."""
    pytest.importorskip("z3")
    program = atomic_sections(prepare(extracted(mutated(tmp_path, name, edits)), turns=None))
    points = {n: candidate_points(path)[0] for n, path in enumerate(program.paths)}
    assert not Houdini(program, points, Budget(LONG)).run().proved


def untouched(operation: Operation) -> list[SubOperation]:
    return list(operation.steps)


@pytest.mark.parametrize("number", range(len(MUTANTS) + len(NAMES)))
def test_simplified_operations_mean_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The exhaustive checker says the same of the steps as they come from the compiler."""
    files = [source(name) for name in NAMES]
    files += [mutated(tmp_path, m[0], m[2]) for m in MUTANTS[number - len(NAMES) :][:1]]
    file, bound = files[min(number, len(NAMES))], 2
    simple = extracted(file)
    monkeypatch.setattr(csource, "simplify", untouched)
    raw = extracted(file)
    assert sum(len(o.steps) for o in raw.operations) >= sum(len(o.steps) for o in simple.operations)
    verdicts = [Checker(spec).search(bound, Budget(LONG)).trail is None for spec in (raw, simple)]
    assert verdicts[0] == verdicts[1]


def test_what_is_shown_names_the_lines(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "prove",
        "--bounded",
        "--bound",
        "2",
        "--show-spec",
        "--c",
        str(source("ms_queue")),
    ]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "implements queue;" in shown
    # the second look at the tail is a check of its own, at its line
    assert "1 < SHARED.tail == tail; > READ SHARED.tail;   // line 32" in shown


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (
            "__atomic_load_n(&s->top, __ATOMIC_SEQ_CST);\n        node",
            "__atomic_load_n(&s->top, __ATOMIC_RELAXED);\n        node",
            19,
            "monotonic",
        ),
        ("    node->value = value;", '    node->value = value; puts("x");', 17, "puts"),
    ],
)
def test_from_c_says_what_it_cannot_model(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    text = source("treiber_stack").read_text()
    assert old in text
    file = tmp_path / "s.c"
    file.write_text(
        text.replace(old, new, 1)
        .replace("<stdlib.h>", "<stdlib.h> // x")
        .replace("#include <stdbool.h>", "#include <stdbool.h>\nint puts(const char *);")
    )
    status = main(["prove", "--c", str(file), "--bounded"])
    out = capsys.readouterr().out
    assert status == 4 and words in out and f":{line + 1}:" in out
