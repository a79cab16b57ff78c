"""The functions of the package: loaded when asked for, alike the commands, clear in errors."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import heapstory
from heapstory import constraints
from heapstory.confirm import Execution
from tests.conftest import Compile, Heapstory
from tests.linear.mutants import EXAMPLES, mutated
from tests.support.programs import program

VERBS = ("infer", "leaks", "locate", "loops", "open", "prove", "record")


@pytest.mark.parametrize("name", heapstory.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(heapstory, name) is not None


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'located'"):
        heapstory.located  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("verb", VERBS)
def test_no_module_hides_a_function(verb: str) -> None:
    """Importing a module heapstory.locate would put it in the place of the function."""
    assert importlib.util.find_spec(f"heapstory.{verb}") is None


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    code = "import sys, heapstory; print([m for m in sys.modules if m.startswith('heapstory.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['heapstory.errors']\n"


@pytest.fixture
def command(heapstory: Heapstory) -> Heapstory:
    """Runs the installed command; the fixture's own name is the package's here."""
    return heapstory


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, compile_program: Compile) -> Path:
    path = tmp_path_factory.mktemp("api") / "ring.story"
    heapstory.record([compile_program("locating/ring", "-O0", "-DFAULT=1")], path).close()
    return path


def test_record_gives_an_open_trace(tmp_path: Path, compile_program: Compile) -> None:
    program, path = compile_program("locating/ring", "-O0", "-DFAULT=0"), tmp_path / "ring.story"
    with heapstory.record([program], path, cpoints=["insert_after"]) as trace:
        assert trace.path == path
        assert trace.info().exit_code == 0
        marked = trace.query("SELECT name FROM cpoints WHERE kind = 'cpoint'").rows
    assert set(marked) == {("insert_after",)}
    with pytest.raises(heapstory.HeapstoryError, match="exists"):
        heapstory.record([program], path)
    heapstory.record([program], path, force=True).close()
    heapstory.record(str(program), path, force=True).close()  # a program without arguments


def test_locate_as_the_command(recorded: Path, command: Heapstory) -> None:
    specification = program("locating/ring.spec")
    done = command("locate", recorded, "--spec", specification, "--json")
    said = json.loads(done.stdout)
    with heapstory.open(recorded) as trace:
        diagnosis = heapstory.locate(trace, specification)
        loaded = heapstory.locate(trace, constraints.load(specification))
    assert said["statements"], done.stderr
    assert [place.line for place in diagnosis.statements] == [
        place["line"] for place in said["statements"]
    ]
    assert loaded.statements == diagnosis.statements


def test_slice_and_loops_as_the_commands(
    tmp_path: Path, compile_program: Compile, command: Heapstory
) -> None:
    path = tmp_path / "t.story"
    trace = heapstory.record([compile_program("slice/loop", "-O0")], path, stream=True)
    for options, words in (
        ({}, ()),
        ({"forward": True}, ("--forward",)),
        ({"chop": "end:result"}, ("--chop", "end:result")),
    ):
        done = command("slice", path, "--criterion", "loop.c:6", *words, "--json")
        found = heapstory.slice(trace, "loop.c:6", **options)
        told = json.loads(done.stdout)
        assert [one.line for one in found.statements] == [one["line"] for one in told["statements"]]
        assert found.instructions == told["instructions"] > 0
    answer = heapstory.loops(trace, functions=["main"])
    told = json.loads(command("loops", path, "--function", "main", "--json").stdout)
    assert [one.verdict for one in answer.loops] == [one["verdict"] for one in told["loops"]]
    assert answer.loops
    with pytest.raises(heapstory.UsageError, match="backward slices"):
        heapstory.slice(trace, "loop.c:6", forward=True, max_statements=2)


def test_infer_as_the_command(recorded: Path, command: Heapstory) -> None:
    with heapstory.open(recorded) as trace:
        inferred = heapstory.infer(trace)
    assert inferred.text == command("infer", recorded).stdout
    assert inferred.sources == (recorded.name,)


def test_leaks_as_the_command(tmp_path: Path, command: Heapstory) -> None:
    source = tmp_path / "lost.c"
    source.write_text(LOST)
    found = heapstory.leaks(source, cache=False)
    said = json.loads(command("leaks", source, "--json", "--no-cache").stdout)
    assert [(f.kind, f.place.line) for f in found.findings] == [
        (leak["kind"], leak["place"]["line"]) for leak in said["leaks"]
    ]
    assert found.open == found.findings
    assert len(found.open) == 1
    assert found.complete
    fingerprint = found.findings[0].fingerprint
    assert heapstory.leaks(source, cache=False, suppressed=[fingerprint]).open == []


def test_leaks_are_confirmed_by_a_run(tmp_path: Path) -> None:
    (tmp_path / "lost.c").write_text(LOST)
    subprocess.run(["gcc", "-g", "-O0", "-o", "lost", "lost.c"], cwd=tmp_path, check=True)
    found = heapstory.leaks(tmp_path / "lost.c", cache=False)
    found.confirm(Execution([str(tmp_path / "lost")]))
    labels = [f.confirmation.label for f in found.findings if f.confirmation]
    assert labels == ["confirmed"]


def test_prove_as_the_command(tmp_path: Path, command: Heapstory) -> None:
    good, broken = EXAMPLES / "pair_snapshot.lin", tmp_path / "broken.lin"
    broken.write_text(mutated("pair_snapshot", "1 < xv == av; > return a, b;", "1 return a, b;"))
    results = heapstory.prove(good, broken, bound=3, proof=False)
    said = json.loads(command("prove", good, broken, "--bounded", "--bound", "3", "--json").stdout)[
        "results"
    ]
    assert [(r.name, r.verdict) for r in results] == [(r["name"], r["verdict"]) for r in said]
    assert [r.verdict for r in results] == ["bounded-ok", "not-linearizable"]
    assert [r.counterexample is None for r in results] == [True, False]
    assert not any(r.proved for r in results)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: heapstory.record([]), "no program to record"),
        (lambda: heapstory.record(["/bin/true"], mode="every"), "there is no such mode"),
        (lambda: heapstory.record(["/bin/true"], changes=0), "must be 1 or more"),
        (lambda: heapstory.record(["/bin/true"], cpoints=[":exit"]), "FILE:LINE is missing"),
        (lambda: heapstory.infer(), "wants the trace of a good run"),
        (lambda: heapstory.leaks(), "nothing to analyse"),
        (lambda: heapstory.leaks("x.c", build=["make"]), "only one of them"),
        (lambda: heapstory.leaks("x.c", min_confidence="some"), "one of low, medium, high"),
        (lambda: heapstory.prove(), "wants a specification"),
        (lambda: heapstory.prove("no.lin"), "No such file"),
        (
            lambda: heapstory.prove(EXAMPLES / "ms_queue.lin", operations=["pop"]),
            "no operation 'pop'",
        ),
    ],
)
def test_a_wrong_question(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(heapstory.UsageError, match=message):
        ask()


LOST = """\
#include <stdlib.h>
int main(void) {
    char *text = malloc(10);
    text[0] = 'x';
    text = malloc(20);
    free(text);
    return 0;
}
"""
