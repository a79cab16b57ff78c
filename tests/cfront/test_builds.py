"""Builds that compile only some units: nothing is passed over in silence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LEAK = "#include <stdlib.h>\nint NAME(int x) {\n    char *p = malloc(9);\n    return p[x];\n}\n"
MAKEFILE = """
all: program
program: one.o two.o
\t$(CC) -o program one.o two.o
%.o: %.c
\t$(CC) -c -o $@ $<
"""
# A compiler cache in the manner of ccache: what was compiled before is not compiled again.
CACHE = """#!/bin/sh
for word; do case $word in *.c) source=$word;; esac; done
out=$(echo "$*" | sed -n 's/.*-o \\([^ ]*\\).*/\\1/p')
if [ -n "$source" ] && [ -f KEPT/$source.o ]; then cp KEPT/$source.o "$out"; exit; fi
"$@" || exit
[ -z "$source" ] || cp "$out" KEPT/$source.o
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "one.c").write_text(LEAK.replace("NAME", "one"))
    (tmp_path / "two.c").write_text("int one(int);\nint main(int n, char **v) { return one(n); }\n")
    (tmp_path / "Makefile").write_text(MAKEFILE)
    return tmp_path


def leaks(folder: Path, *words: str, cache: str = "cache", **env: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("heapstory"), "leaks", *words],
        cwd=folder, env={**os.environ, "XDG_CACHE_HOME": str(folder / cache), **env},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_a_unit_that_is_up_to_date_is_known_from_the_run_before(project: Path) -> None:
    assert leaks(project, "--", "make")[0] == 1
    (project / "two.o").unlink()
    status, out, err = leaks(project, "--", "make")
    assert (status, "one.c:4" in out) == (1, True), err
    status, out, err = leaks(project, "--", "make")  # nothing to do
    assert (status, "one.c:4" in out) == (1, True), err


def test_a_unit_nobody_saw_is_named(project: Path) -> None:
    subprocess.run(["make", "-s"], cwd=project, check=True)
    (project / "two.o").unlink()
    status, _, err = leaks(project, "--", "make")
    assert status == 4
    assert "one.o: skipped: this build did not compile it" in err


def test_what_nobody_saw_is_still_named_when_all_is_up_to_date(project: Path) -> None:
    (project / "one.o").write_bytes(b"")
    (project / "two.o").write_bytes(b"")
    link = "test -f p || { cc -c two.c; cc -shared -o p one.o two.o || touch p; }"
    for _ in range(2):  # the second time nothing is compiled and nothing linked
        status, _, err = leaks(project, "--", "sh", "-c", link)
        assert (status, "one.o: skipped: this build did not compile it" in err) == (4, True), err


def test_a_program_that_was_not_linked_again_is_part_of_the_build(project: Path) -> None:
    (project / "three.c").write_text("int main(void) { return 0; }\n")
    (project / "four.c").write_text(LEAK.replace("NAME", "main"))
    script = (
        "cc -c three.c && cc -o q three.o;"
        "test -f program || make; test -f four -o ! -f four.c || cc -o four four.c"
    )
    for _ in range(2):  # the second time only three.c is compiled
        status, out, err = leaks(project, "--", "sh", "-c", script)
        assert (status, "one.c:4" in out, "four.c:4" in out) == (1, True, True), err
    for name in ("four", "program"):
        (project / name).unlink()
    (project / "one.c").write_text("int one(int x) { return x; }\n")
    (project / "four.c").unlink()
    status, _, err = leaks(project, "--", "sh", "-c", script)
    assert status == 0, err  # what is no longer there is forgotten


def test_an_archive_tells_of_its_objects(project: Path) -> None:
    script = "test -f one.o || cc -c one.c; cc -c two.c; ar rc x.a one.o two.o; cc -o p x.a"
    subprocess.run(["cc", "-c", "one.c"], cwd=project, check=True)
    status, _, err = leaks(project, "--", "sh", "-c", script)
    assert (status, "one.o: skipped" in err) == (4, True), err


@pytest.mark.parametrize("by_path", [False, True])
def test_a_compiler_cache_hides_nothing(project: Path, by_path: bool) -> None:
    tools = project / "tools"
    (project / "kept").mkdir()
    tools.mkdir()
    (tools / "ccache").write_text(CACHE.replace("KEPT", str(project / "kept")))
    (tools / "ccache").chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    wrapper = str(tools / "ccache") if by_path else "ccache"
    for round_ in range(2):
        status, out, err = leaks(project, "--", "make", f"CC={wrapper} cc", PATH=path)
        assert (status, "one.c:4" in out) == (1, True), (round_, err)
        for name in ("one.o", "two.o", "program"):
            (project / name).unlink()


def test_units_in_other_languages_are_named(project: Path) -> None:
    (project / "three.cc").write_text("int three() { return 3; }\n")
    (project / "one.c").write_text("int one(int x) { return x; }\n")
    script = "cc -c one.c; cc -c two.c; g++ -c three.cc; g++ -o p one.o two.o three.o"
    status, _, err = leaks(project, "--", "sh", "-c", script)
    assert (status, "three.cc: skipped: only C is analysed" in err) == (4, True), err


def test_files_of_other_languages_in_a_directory_are_named(project: Path) -> None:
    (project / "one.c").write_text("int one(int x) { return x; }\n")
    assert leaks(project, ".")[0] == 0
    (project / "three.cc").write_text("int three() { return 3; }\n")
    status, _, err = leaks(project, ".")
    assert (status, "three.cc: skipped: only C is analysed" in err) == (4, True), err


def test_words_in_a_file_are_read(project: Path) -> None:
    (project / "words").write_text("-c -DX one.c\n")
    script = "cc @words; cc -c two.c; cc -o p one.o two.o"
    status, out, err = leaks(project, "--", "sh", "-c", script)
    assert (status, "one.c:4" in out) == (1, True), err


def test_one_bad_entry_of_a_database_is_named(project: Path) -> None:
    good = {"directory": str(project), "file": "two.c", "arguments": ["cc", "-c", "two.c"]}
    (project / "db.json").write_text(json.dumps([{"file": "one.c"}, good]))
    status, _, err = leaks(project, "-p", "db.json")
    assert (status, "entry 1" in err) == (4, True), err


def test_a_compiler_called_by_its_full_path_is_seen(project: Path) -> None:
    compiler = shutil.which("cc")
    status, out, err = leaks(project, "--", "make", f"CC={compiler}")
    assert (status, "one.c:4" in out) == (1, True), err


def test_a_compiler_that_cannot_be_watched_is_noticed(project: Path) -> None:
    script = "cc -c two.c; env -u LD_PRELOAD sh -c 'cc -c one.c'"
    status, _, err = leaks(project, "--", "sh", "-c", script)
    assert (status, "one.o: skipped: made by a compiler that we did not see" in err) == (4, True)


def test_a_source_compiled_twice_is_analysed_twice(project: Path) -> None:
    text = LEAK.replace("NAME", "kept").replace("return", "if (KEEP) free(p);\n    return")
    (project / "kept.c").write_text(text)
    script = "for o in KEEP=1 KEEP=0 'KEEP=1 -DPIC'; do cc -D$o -c kept.c; done"
    status, out, err = leaks(project, "--", "sh", "-c", script)
    assert (status, "kept.c:5" in out) == (1, True), err
    assert "in 2 functions" in out


def test_options_of_the_compiler_for_plain_files(project: Path) -> None:
    (project / "include").mkdir()
    (project / "include" / "own.h").write_text("#define SIZE 9\n")
    text = '#include "own.h"\n' + LEAK.replace("NAME", "f").replace("(9)", "(SIZE * N)")
    (project / "f.c").write_text(text)
    assert leaks(project, "f.c")[0] == 4
    status, out, err = leaks(project, "-I", "include", "-DN=2", "f.c")
    assert (status, "f.c:5" in out) == (1, True), err
    assert leaks(project, "-DN=2", "--", "make")[0] == 2


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("gr\u00fc\u00dfe.c", "gr\u00fc\u00dfe.c"),
        ("not\udcff.c", r"not\xff.c"),
        ("with space.c", "with space.c"),
    ],
)
def test_any_file_name(project: Path, name: str, shown: str) -> None:
    (project / name).write_text(LEAK.replace("NAME", "f"))
    for words in ([name], ["--", "cc", "-c", name]):
        status, out, err = leaks(project, "--sarif", "x.sarif", "--html", "x.html", *words)
        assert (status, f"{shown}:4" in out) == (1, True), err
        assert "return p[x]" in out
    json.loads((project / "x.sarif").read_text())


def test_a_cache_that_cannot_be_written_changes_nothing(project: Path) -> None:
    (project / "cache").write_text("a file")
    status, out, err = leaks(project, "--", "make")
    assert (status, "one.c:4" in out, err.count("heapstory")) == (1, True, 0), err
