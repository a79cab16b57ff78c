"""What commands print against the schemas that come with the package.

The ``heapstory`` fixture checks every JSON answer of every test besides; here are the forms that
each command has.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from heapstory import schemas
from heapstory.commands import VERBS
from tests.commands.test_reference import options
from tests.conftest import Compile, Heapstory, Record
from tests.linear.mutants import EXAMPLES, mutated
from tests.support.programs import ROOT, program
from tests.support.schemas import check, check_answer

LEAK = """#include <stdlib.h>
int f(int bad) {
    char *p = malloc(10);
    if (bad)
        return -1;
    free(p);
    return 0;
}
void g(char *q) { free(q); free(q); }
int main(void) { return f(1) + f(0) + 1; }
"""
UNMODELLED = """struct s { int n; };
int elsewhere(struct s *);
void push(struct s *s, int v) { s->n = v; }
int pop(struct s *s) { return elsewhere(s); }
"""


@pytest.fixture
def ask(heapstory: Heapstory, tmp_path: Path) -> Any:
    """Asks for JSON, checks it and gives it back; the status is checked too."""

    def asked(status: int, *words: str | Path) -> Any:
        done = heapstory(*words, "--json", cwd=tmp_path)
        assert done.returncode == status, done.stderr
        return check_answer(done.stdout)

    return asked


@pytest.mark.parametrize("name", schemas.names())
def test_the_schemas_are_schemas(name: str) -> None:
    schema = schemas.load(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:heapstory:{name}:1"


def test_every_verb_that_has_json_has_a_schema() -> None:
    having = [verb for verb in VERBS if ["--json"] in options(verb)]
    assert set(having) == set(schemas.names()) - {"common", "sarif"}
    assert set(VERBS) - set(having) == {"record", "view", "batch", "completion"}


def test_members_that_no_schema_names_and_missing_ones_are_noticed() -> None:
    answer = {"schema": "heapstory.query/1", "columns": ["a"], "rows": [[1]]}
    check("query", json.dumps(answer))
    for wrong in ({**answer, "more": 1}, {"schema": "heapstory.query/1"}):
        with pytest.raises(ValidationError):
            check("query", json.dumps(wrong))


@pytest.mark.parametrize("mode", ["alloc", "portable", "internals"])
def test_questions_to_a_trace(
    mode: str, compile_program: Compile, record: Record, ask: Any
) -> None:
    source = (ROOT / "examples" / "playlist.c").read_text()
    trace = record(compile_program(source), options=("--mode", mode))
    assert ask(0, "info", trace)["mode"] == mode
    graph = ask(0, "graph", trace, "--freed", "--data")
    assert graph["nodes"] and graph["edges"]
    edges = ask(0, "graph", trace, "--evolution")["edges"]
    assert {edge["current"] for edge in edges} == {True, False}
    node = next(node for node in graph["nodes"] if node["kind"] == "heap")
    assert ask(0, "history", trace, "--node", str(node["id"]))["versions"]
    assert ask(0, "history", trace, "--address", node["address"])["address"] == node["address"]
    assert ask(0, "query", trace, "SELECT * FROM cpoints")["columns"]


def test_clusters_and_merges(compile_program: Compile, record: Record, ask: Any) -> None:
    trace = record(compile_program("discovery/figure7"), options=("--mode", "internals"))
    graph = ask(0, "graph", trace)
    assert graph["clusters"] and graph["merges"]


def test_suspicious_accesses(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path, ask: Any
) -> None:
    attack = compile_program("discovery/attacks")
    trace, log = tmp_path / "t.story", tmp_path / "log.sarif"
    words = ("record", "--mode", "portable", "-o", trace, "--force")
    plain = heapstory(*words, "--", attack, "struct").returncode
    assert (
        heapstory(*words, "--error-exitcode", "77", "--", attack, "struct").returncode
        == 77
        != plain
    )
    found = ask(1, "info", trace, "--suspicious", "--sarif", log)["suspicious"]
    results = check("sarif", log.read_text())["runs"][0]["results"]
    assert [r["properties"]["timestamp"] for r in results] == [one["ts"] for one in found] != []
    assert heapstory("info", trace, "--sarif", log).returncode == 2
    harmless = compile_program("int main(void) {\n    return 3;\n}\n")
    assert heapstory(*words, "--error-exitcode", "77", "--", harmless).returncode == 3
    internals = ("record", "--mode", "internals", "--error-exitcode", "77", "--", harmless)
    refused = heapstory(*internals, cwd=tmp_path)
    assert refused.returncode == 125 and "has no findings" in refused.stderr


def test_locate_and_infer(
    compile_program: Compile, record: Record, tmp_path: Path, ask: Any
) -> None:
    spec, log = program("locating/avl.spec"), tmp_path / "log.sarif"
    bad = record(compile_program("locating/avl", "-O0", "-DFAULT=1"))
    answer = ask(1, "locate", bad, "--spec", spec, "--sarif", log)
    results = check("sarif", log.read_text())["runs"][0]["results"]
    assert len(results) == len(answer["statements"]) > 0
    good = record(compile_program("locating/avl", "-O0", "-DFAULT=0"))
    assert ask(0, "locate", good, "--spec", spec)["bad"] is None
    assert ask(0, "infer", good)["constraints"]


def test_leaks(tmp_path: Path, compile_program: Compile, ask: Any) -> None:
    source, log = tmp_path / "leak.c", tmp_path / "log.sarif"
    source.write_text(LEAK)
    answer = ask(1, "leaks", "--no-cache", "--all", "--sarif", log, source)
    assert answer["leaks"] and answer["misuses"]
    results = check("sarif", log.read_text())["runs"][0]["results"]
    assert len(results) == len(answer["leaks"] + answer["misuses"])
    broken = tmp_path / "broken.c"
    broken.write_text("int main(void) {")
    assert ask(4, "leaks", "--no-cache", broken)["skipped"]


def test_prove(tmp_path: Path, ask: Any) -> None:
    wrong, log = tmp_path / "wrong.lin", tmp_path / "log.sarif"
    wrong.write_text(mutated("pair_snapshot", "1 < xv == av; > return a, b;", "1 return a, b;"))
    good = EXAMPLES / "pair_snapshot.lin"
    words = ("prove", "--bounded", "--bound", "3", "--relations", "--sarif", log, wrong, good)
    results = ask(1, *words)["results"]
    assert [bool(result["counterexample"]) for result in results] == [True, False]
    (found,) = check("sarif", log.read_text())["runs"][0]["results"]
    assert found["ruleId"] == "not-linearizable"
    unmodelled = tmp_path / "unmodelled.c"
    unmodelled.write_text(UNMODELLED)
    assert ask(4, "prove", "--c", unmodelled)["results"][0]["verdict"] == "unknown"
    history = tmp_path / "history.jsonl"
    history.write_text('{"method": "dequeue", "result": 7, "begin": 1, "end": 2}\n')
    judged = ask(1, "prove", "--history", history, "--model", "queue")["results"]
    assert judged[0]["counterexample"]["operations"]


def test_doctor(ask: Any) -> None:
    assert ask(0, "doctor")["healthy"]
