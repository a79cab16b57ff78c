"""The command: statuses, files, baselines, a recording beside it, and telling while it runs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import heapstory as api
from tests.checking.checking import Check, line_of
from tests.conftest import COMMAND, Compile, Heapstory
from tests.support.programs import program
from tests.support.schemas import check as check_schema

SOURCE = program("checking/errors.c")


def test_the_answer_says_what_was_looked_for(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program("checking/errors"), "none")
    assert answer["summary"]["errors"] == 0
    assert "leaks at the end" in answer["summary"]["checked"]
    assert "values that were never set" in answer["summary"]["checked"]
    assert "forked children" in answer["summary"]["not_checked"]
    assert "not looked for: accesses outside of variables" in answer["said"]
    without = check(compile_program("checking/errors"), "none", options=("--no-leaks",))
    assert "leaks at the end" in without["summary"]["not_checked"]


def test_a_program_without_allocations_is_not_called_clean(
    compile_program: Compile, check: Check
) -> None:
    answer = check(compile_program("int main(void) {\n    return 0;\n}\n"))
    assert any("no allocation was seen" in text for text in answer["summary"]["not_checked"])
    seen = check(compile_program("checking/errors"), "none", options=("--no-leaks",))
    assert not any("no allocation" in text for text in seen["summary"]["not_checked"])


def test_what_it_becomes_by_exec_is_checked(compile_program: Compile, check: Check) -> None:
    answer = check("/bin/sh", "-c", f"exec {compile_program('checking/errors')} overrun")
    assert [error["kind"] for error in answer["errors"]] == ["unaddressable-write"]
    assert answer["returned"] == 3


def test_a_static_program_is_refused(compile_program: Compile, heapstory: Heapstory) -> None:
    done = heapstory("check", "--", compile_program("checking/errors", "-static"))
    assert (done.returncode, "nothing of its heap can be checked" in done.stderr) == (126, True)


def test_exit_statuses(compile_program: Compile, heapstory: Heapstory) -> None:
    built = compile_program("checking/errors")
    assert heapstory("check", "--", built, "overrun").returncode == 3
    assert heapstory("check", "--error-exitcode", "9", "--", built, "overrun").returncode == 9
    assert heapstory("check", "--error-exitcode", "9", "--", built, "none").returncode == 3
    assert heapstory("check", "--", "./not-there").returncode == 127
    assert heapstory("check").returncode == 125
    assert heapstory("check", "--redzone", "3", "--", built).returncode == 125


def test_a_baseline_accepts(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> None:
    built, file = compile_program("checking/errors"), tmp_path / "accepted.json"
    heapstory("check", "--write-baseline", file, "--", built, "overrun")
    words = ("check", "--baseline", file, "--error-exitcode", "9", "--", built)
    assert heapstory(*words, "overrun").returncode == 3
    assert "unaddressable" not in heapstory(*words, "overrun").stderr.split("check:")[0]
    assert heapstory(*words, "underrun").returncode == 9


def test_files_for_other_programs(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    sarif, xml = tmp_path / "check.sarif", tmp_path / "check.xml"
    built = compile_program("checking/errors")
    heapstory("check", "--sarif", sarif, "--xml", xml, "--", built, "write-freed")
    log = check_schema("sarif", sarif.read_text())
    (result,) = [each for each in log["runs"][0]["results"] if each["level"] == "error"]
    assert result["ruleId"] == "unaddressable-write"
    assert [each["message"]["text"] for each in result["relatedLocations"]] == [
        "the block was allocated here",
        "and freed here",
    ]
    root = ElementTree.parse(xml).getroot()
    assert root.findtext("protocolversion") == "4"
    (error,) = root.findall("error")
    assert error.findtext("kind") == "InvalidWrite"
    assert error.findtext("stack/frame/line") == str(line_of(SOURCE, "write-freed"))
    assert len(error.findall("auxwhat")) == 2


def test_a_recording_has_the_errors(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    path = tmp_path / "checked.story"
    built = compile_program("checking/errors")
    heapstory("check", "--record", path, "--", built, "write-freed")
    with api.open(path) as trace:
        (row,) = trace.query(
            "SELECT errors.kind, errors.size, place(site), count, node "
            "FROM errors JOIN nodes USING (node) "
            "WHERE freed <= timestamp AND errors.address BETWEEN nodes.address AND "
            "nodes.address + 39"
        )
        stores = trace.query("SELECT count(*) FROM events WHERE kind = 'fill'")
    assert row[:4] == ("unaddressable-write", 4, f"errors.c:{line_of(SOURCE, 'write-freed')}", 1)
    assert stores[0][0] >= 1
    assert heapstory("check", "--record", path, "--", built, "none").returncode == 125


WAITING = """\
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    volatile char *p = malloc(10);
    p[10] = 1; /* one */
    p[11] = 1; /* two */
    char c;
    return read(0, &c, 1) != 1;
}
"""


def test_errors_are_told_while_the_program_runs(compile_program: Compile) -> None:
    built = compile_program(WAITING)
    process = subprocess.Popen(
        [COMMAND, "check", "--", built],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stderr
    early = ""
    while early.count("unaddressable-write") < 2:  # both come before the program may go on
        early += process.stderr.readline()
    rest = process.communicate("x")[1]
    assert "unaddressable" not in rest
    assert (process.returncode, "check: 2 errors" in rest) == (0, True)


def test_a_crash_keeps_the_report(compile_program: Compile, check: Check) -> None:
    text = WAITING.replace("read(0, &c, 1)", "*(volatile int *)8")
    answer = check(compile_program(text))
    assert answer["returned"] == 128 + 11
    kinds = [error["kind"] for error in answer["errors"]]
    assert kinds == [*2 * ["unaddressable-write"], "unaddressable-read"]  # the last: the crash


def test_json_is_one_object(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    heapstory("check", "--json", file, "--", compile_program("checking/errors"), "twice")
    assert json.loads(file.read_text())["schema"] == "heapstory.check/1"
