"""Findings confirmed by runs, on programs whose leaks, moments and counts are known."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from heapstory.cfront.program import Place
from heapstory.confirm import Execution, confirm
from heapstory.static import Finding
from heapstory.static.findings.findings import label
from heapstory.static.heap.doubt import Doubt
from tests.static.test_command import run

PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct box { char *text; int n; };
static char *make(int n) { return malloc(n); }
static void field(void) {
    struct box *b = malloc(sizeof *b);
    b->text = strdup("text");
    b->n = 1;
    free(b); /* FIELD */
}
static void local(int i) {
    char *p = make(10 + i); /* MADE */
    p[0] = 1;
    if (i == 2)
        return;
    free(p);
} /* LOCAL */
static int failing(void) {
    char *a = malloc(3);
    char *b = malloc(4); /* FAILS */
    if (!b)
        return -1; /* ERROR */
    free(a);
    free(b);
    return 0;
}
static void never(int n) {
    char *p = malloc(9);
    if (n)
        return;
    free(p);
}
static void good(int i) {
    char *p = malloc(7 + i); /* GOOD */
    p[0] = 1;
    free(p);
} /* DONE */
int main(int argc, char **argv) {
    char line[20];
    while (fgets(line, sizeof line, stdin))
        printf("%s", line);
    field();
    for (int i = 0; i < 4; i++)
        local(i);
    for (int i = 0; i < 5; i++)
        good(i);
    if (argc > 5)
        never(argc);
    return failing();
}
"""


def line(mark: str) -> int:
    return next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if f"/* {mark} */" in text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "prog.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-g", "-O0", "-o", "prog", "prog.c"], cwd=tmp_path, check=True)
    return tmp_path


def labels(folder: Path, *words: str) -> dict[str, dict[str, Any]]:
    """What ``--confirm`` says, by the function of the finding."""
    done = run(folder, "prog.c", "--json", "--confirm", *words)
    assert done.returncode in (0, 1), done.stderr
    return {f["function"]: f["confirmation"] for f in json.loads(done.stdout)["leaks"]}


def test_a_field_is_lost_at_an_exact_moment(project: Path) -> None:
    found = labels(project, "--trace", "t.story", "--", "./prog")["field"]
    assert (found["label"], found["blocks"], found["leaked"]) == ("confirmed", 1, 1)
    moment = found["moment"]
    assert moment["exact"] and moment["place"]["line"] == line("FIELD")
    import heapstory

    with heapstory.open(project / "t.story") as trace:
        freed = trace.query(
            f"SELECT freed FROM nodes WHERE place(freed_site) = 'prog.c:{line('FIELD')}'"
        )
        assert freed.rows == [(moment["timestamp"],)]


def test_a_local_is_lost_between_two_moments(project: Path) -> None:
    found = labels(project, "--trace", "t.story", "--", "./prog")["local"]
    assert (found["label"], found["blocks"], found["leaked"]) == ("confirmed", 4, 1)
    moment = found["moment"]
    assert moment["after"] <= moment["timestamp"] <= moment["before"]
    import heapstory

    with heapstory.open(project / "t.story") as trace:
        ((made, next_made),) = trace.query(
            "SELECT a.created, b.created FROM nodes a, nodes b WHERE a.size = 12 AND b.size = 13"
        ).rows
    assert made <= moment["after"] and moment["before"] < next_made


def test_what_did_not_run_is_not_exercised(project: Path) -> None:
    found = labels(project, "--", "./prog")
    assert found["never"]["label"] == "not-exercised" and found["never"]["blocks"] == 0
    assert found["failing"]["label"] == "not-exercised" and found["failing"]["blocks"] == 1


def test_failing_allocations_exercise_error_paths(project: Path) -> None:
    found = labels(project, "--fail-allocations", "--", "./prog")["failing"]
    assert (found["label"], found["leaked"]) == ("confirmed", 1)
    assert found["failed_allocation"] == f"prog.c:{line('FAILS')}"
    assert found["moment"]["place"]["line"] == line("ERROR")


LATER = """#include <stdlib.h>
#include <string.h>
struct pair { char *name; };
static int make(struct pair **out) {
    struct pair *p = malloc(sizeof *p);
    if (!p)
        return -1;
    p->name = strdup("name");
    if (!p->name) {
        free(p);
        return -2;
    }
    *out = p;
    return 0;
}
static int use(void) {
    char *kept = malloc(4);
    struct pair *p;
    int status;
    if (!kept)
        return -1;
    status = make(&p); /* CALL */
    if (status == -1)
        free(kept);
    if (status)
        return -1;
    free(p->name);
    free(p);
    free(kept);
    return 0;
}
int main(void) { return use() ? 1 : 0; }
"""


def test_a_later_allocation_of_one_call_fails(tmp_path: Path) -> None:
    """Only where the second allocation of the call fails is something lost."""
    (tmp_path / "prog.c").write_text(LATER)
    subprocess.run(["cc", "-g", "-o", "prog", "prog.c"], cwd=tmp_path, check=True)
    found = labels(tmp_path, "--fail-allocations", "--", "./prog")["use"]
    assert (found["label"], found["leaked"]) == ("confirmed", 1)
    call = next(n for n, text in enumerate(LATER.splitlines(), 1) if "/* CALL */" in text)
    assert found["failed_allocation"] == f"prog.c:{call}"


SOMETIMES = """#include <stdlib.h>
int use(int n) {
    char *p = malloc(4);
    int r = p ? 1 : 0;
    if (n == 0)
        free(p);
    return r;
}
int main(int n, char **v) { return use(n - 1) - 1; }
"""


def claim(folder: Path) -> Finding:
    """A finding that is wrong: ``good`` releases what it makes."""
    path = str(folder / "prog.c")
    made = Place(path, line("GOOD"), "good")
    lost = Place(path, line("DONE"), "good")
    finding = Finding("local-lost-at-return", lost, "good", "p", made, [], "malloc", "free", [])
    finding.fingerprint = "f"
    return finding


def test_a_wrong_finding_is_demoted_not_deleted(project: Path) -> None:
    finding = claim(project)
    found = confirm([finding], Execution([str(project / "prog")]))
    assert (found["f"].label, found["f"].executed, found["f"].blocks) == ("not-leaked", 5, 5)
    assert "executed 5 times, not leaked" in found["f"].text()
    label([finding], found)
    assert finding.confidence == "low" and finding.contradicted
    assert finding.doubts == [Doubt.RUN_CONTRADICTS]


def test_a_good_input_excuses_no_leak(tmp_path: Path) -> None:
    """The same return leaks or not, as the input has it."""
    (tmp_path / "sometimes.c").write_text(SOMETIMES)
    subprocess.run(["cc", "-g", "-o", "sometimes", "sometimes.c"], cwd=tmp_path, check=True)
    done = subprocess.run(
        [Path(sys.executable).with_name("heapstory"), "leaks", "sometimes.c", "--no-cache",
         "--confirm", "--", "./sometimes"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "not leaked" in done.stdout, done.stdout
    assert done.returncode == 1


def test_every_run_reads_the_same_input(project: Path) -> None:
    """The program's own output goes to stderr, once for every run."""
    code = "import sys; from heapstory.commands import main; sys.exit(main())"
    words = ["leaks", "prog.c", "--json", "--no-cache", "--confirm", "--fail-allocations"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words, "--", "./prog"],
        cwd=project, input="hello\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    json.loads(done.stdout)
    runs = done.stderr.count("hello")
    assert runs >= 2


def test_a_program_without_lines_is_told(project: Path) -> None:
    subprocess.run(["gcc", "-O0", "-o", "prog", "prog.c"], cwd=project, check=True)
    done = run(project, "prog.c", "--confirm", "--", "./prog")
    assert "build it with -g" in done.stderr and "not exercised" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("prog.c", "--confirm"), "--confirm needs a program"),
        (("prog.c", "--confirm", "--", "./none"), "no such program"),
        (("prog.c", "--fail-allocations"), "belong to --confirm"),
        (("--confirm", "--", "./prog"), "nothing to analyse"),
    ],
)
def test_wrong_use(project: Path, words: tuple[str, ...], said: str) -> None:
    done = run(project, *words)
    assert done.returncode == 2 and said in done.stderr
    assert "Traceback" not in done.stderr
