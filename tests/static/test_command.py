"""The command as users and scripts meet it: exit status, outputs, bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.schemas import check_answer

LEAK = """#include <stdlib.h>
int f(int bad) {
    char *p = malloc(10);
    if (bad)
        return -1;
    free(p);
    return 0;
}
"""
ASKED = """#include <stdbool.h>
#include <stdlib.h>
struct node { struct node *next; }; int g(void);
int f(int x, int y, char *q, struct node *n, bool flag) {
    char *p = malloc(10);
    if (CONDITION) return -1;
    free(p);
    return y;
}
"""
CLEAN = LEAK.replace("return -1;", "{ free(p); return -1; }")


def run(
    folder: Path, *words: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``heapstory leaks`` in a folder, with a cache of its own."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        **(env or {}),
    }
    code = "import sys; from heapstory.commands import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "leaks", *words],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    if done.stdout.startswith('{"schema": '):
        check_answer(done.stdout)
    return done


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "leak.c").write_text(LEAK)
    (tmp_path / "clean.c").write_text(CLEAN.replace("int f", "int g"))
    return tmp_path


def test_exit_status_says_what_was_found(project: Path) -> None:
    assert run(project, "leak.c").returncode == 1
    assert run(project, "clean.c").returncode == 0


def test_json_follows_the_contract(project: Path) -> None:
    done = run(project, "--json", "leak.c", "clean.c")
    answer = json.loads(done.stdout)
    assert answer["schema"] == "heapstory.leaks/1"
    assert {"functions", "lines", "seconds", "leaks"} <= set(answer)
    (leak,) = answer["leaks"]
    assert leak["kind"] == "local-lost-at-return"
    assert leak["place"] == {
        "file": "leak.c", "path": str(project / "leak.c"), "line": 5, "function": "f",
    }  # fmt: skip
    assert leak["allocated"]["line"] == 3
    assert leak["variable"] == "p"
    assert leak["function"] == "f"
    # A run can confirm it later: the decision at line 4 is part of the path.
    assert [(s["line"], s["decision"]) for s in leak["path"] if s["decision"] is not None] == [
        (4, True)
    ]


def test_text_shows_source_and_path(project: Path) -> None:
    text = run(project, "leak.c").stdout
    assert "leak.c:5: local-lost-at-return in f" in text
    assert "char *p = malloc(10);" in text
    assert "bad != 0" in text


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("!q", "q is null"),
        ("q == NULL", "q is null"),
        ("q", "q is not null"),
        ("q != NULL", "q is not null"),
        ("!(x > 3)", "x <= 3"),
        ("x", "x != 0"),
        ("!x", "x == 0"),
        ("!(x && q)", "x == 0"),
        ("!n->next", "n->next is null"),
        ("x == y", "x == y"),
        ("!flag", "flag == 0"),
        ("!*q", "*q == 0"),
        ("!g()", "g() == 0"),
        ("p[y]", "goes on at line 6"),
    ],
)
def test_a_branch_says_what_held_in_the_source(tmp_path: Path, condition: str, said: str) -> None:
    (tmp_path / "asked.c").write_text(ASKED.replace("CONDITION", condition))
    (leak,) = json.loads(run(tmp_path, "--json", "asked.c").stdout)["leaks"]
    (step,) = (s for s in leak["path"] if s["decision"] is not None)
    assert (step["line"], step["note"]) == (6, said)


def test_sarif_has_code_flows(project: Path) -> None:
    run(project, "--sarif", "out.sarif", "leak.c")
    log = json.loads((project / "out.sarif").read_text())
    assert log["version"] == "2.1.0"
    (result,) = log["runs"][0]["results"]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [s["location"]["physicalLocation"]["region"]["startLine"] for s in steps]
    assert lines[0] == 3
    assert lines[-1] == 5
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "leak.c", "uriBaseId": "SRCROOT",
    }  # fmt: skip
    assert result["partialFingerprints"]["heapstory/v1"]


def test_html_has_the_source_beside_the_path(project: Path) -> None:
    run(project, "--html", "out.html", "leak.c")
    page = (project / "out.html").read_text()
    assert "char *p = malloc(10);" in page
    assert "http" not in page, "nothing is fetched"


def test_baseline_and_fingerprint_survive_line_shifts(project: Path) -> None:
    assert run(project, "--write-baseline", "base.json", "leak.c").returncode == 0
    (project / "leak.c").write_text("/* a\n new\n comment */\n" + LEAK)
    done = run(project, "--baseline", "base.json", "leak.c")
    assert done.returncode == 0, done.stdout
    longer = LEAK.replace("    free(p);", "    if (p[0])\n        return -2;\n    free(p);")
    (project / "leak.c").write_text(longer)
    done = run(project, "--baseline", "base.json", "leak.c")
    assert done.returncode == 1, "another return loses it as well"
    assert "leak.c:7: local" in done.stdout and "lost too at leak.c:5" in done.stdout
    (project / "leak.c").write_text(LEAK + LEAK.replace("int f", "int other"))
    assert run(project, "--baseline", "base.json", "leak.c").returncode == 1
    fingerprint = json.loads((project / "base.json").read_text())["findings"][0]["fingerprint"]
    (project / "leak.c").write_text("\n" + LEAK)
    assert run(project, "--suppress", fingerprint, "leak.c").returncode == 0


def test_suppression_by_comment(project: Path) -> None:
    text = LEAK.replace("return -1;", "return -1; /* heapstory: ignore, the caller exits */")
    (project / "leak.c").write_text(text)
    assert run(project, "leak.c").returncode == 0
    shown = json.loads(run(project, "--json", "--show-suppressed", "leak.c").stdout)
    assert "comment" in shown["leaks"][0]["suppressed"]


def test_one_wrong_helper_is_one_finding(project: Path) -> None:
    callers = "".join(
        f"void use{n}(void) {{ struct s *x = make(); if (x) drop(x); }}\n" for n in range(5)
    )
    (project / "h.c").write_text(
        "#include <stdlib.h>\nstruct s { char *t; };\n"
        "struct s *make(void) { struct s *x = calloc(1, sizeof *x);"
        " if (!x) return 0; x->t = malloc(3); return x; }\n"
        "void drop(struct s *x) { free(x); }\n" + callers
    )
    (leak,) = json.loads(run(project, "--json", "h.c").stdout)["leaks"]
    assert leak["place"]["line"] == 4
    assert leak["callers"] == [f"use{n}" for n in range(5)]


def test_captured_build(project: Path) -> None:
    (project / "Makefile").write_text("all: leak.o clean.o\n%.o: %.c\n\t$(CC) -Wall -c -o $@ $<\n")
    done = run(project, "--json", "--", "make", "-j2")
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    assert answer["functions"] == 2
    assert (project / "leak.o").exists(), "the build itself is done"


def test_build_that_fails_keeps_what_it_compiled(project: Path) -> None:
    (project / "Makefile").write_text("all:\n\tcc -c clean.c\n\tfalse\n")
    done = run(project, "--", "make")
    assert done.returncode == 4
    assert "the build failed with status 2" in done.stderr


def test_compilation_database(project: Path) -> None:
    entries = [
        {"directory": ".", "file": "leak.c", "command": "gcc -O2 -Dx=1 -o l.o -c leak.c"},
        {"directory": str(project), "file": "gone.c", "arguments": ["cc", "-c", "gone.c"]},
    ]
    (project / "compile_commands.json").write_text(json.dumps(entries))
    done = run(project, "-p", "compile_commands.json")
    assert done.returncode == 1
    assert "gone.c: skipped: no such file" in done.stderr


def test_a_unit_that_does_not_compile_is_named(project: Path) -> None:
    (project / "bad.c").write_text("int f( {\n")
    done = run(project, "bad.c", "clean.c")
    assert done.returncode == 4
    assert "bad.c: skipped: clang: bad.c:1" in done.stderr
    assert run(project, "bad.c", "leak.c").returncode == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.c"], "nothing.c: no such file"),
        ([], "nothing to analyse"),
        (["Makefile"], "not a C file"),
        (["-p", "none.json"], "none.json: cannot read it"),
        (["-p", "Makefile"], "not a compilation database"),
        (["--models", "none.toml", "leak.c"], "none.toml: cannot read the models"),
        (["--baseline", "none.json", "leak.c"], "cannot read the baseline"),
        (["--", "no-such-builder"], "no such command"),
        (["--", "true"], "the build ran no C compiler"),
    ],
)
def test_bad_input_is_one_clear_line(project: Path, words: list[str], message: str) -> None:
    (project / "Makefile").write_text("all:\n\ttrue\n")
    done = run(project, *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_no_clang_names_the_remedy(project: Path) -> None:
    done = run(project, "leak.c", env={"HEAPSTORY_CLANG": "no-clang"})
    assert done.returncode == 3
    assert "apt-get install clang" in done.stderr


def test_ir_of_both_pointer_kinds_and_of_a_newer_version(project: Path) -> None:
    def finds(name: str, *flags: str) -> str:
        words = ["clang", "-S", "-emit-llvm", "-g", *flags, "-o", name, "leak.c"]
        subprocess.run(words, cwd=project, check=True)
        assert run(project, name).returncode == 1, name
        return (project / name).read_text()

    if " ptr" not in finds("plain.ll"):  # from clang 15 on, this is the only kind
        opaque = ("-mllvm", "-opaque-pointers", "-Xclang", "-opaque-pointers")
        assert " ptr" in finds("opaque.ll", *opaque)
    (project / "new.bc").write_bytes(b"BC\xc0\xde" + b"\x35\x14\x00\x00" * 20)
    done = run(project, "new.bc")
    assert done.returncode == 4
    assert "new.bc: skipped:" in done.stderr


def test_user_models(project: Path) -> None:
    (project / "m.toml").write_text(
        '[allocates]\npool_get = "pool_put"\n[releases]\npool_put = 0\n'
    )
    (project / "u.c").write_text(
        "void *pool_get(int); void pool_put(void *);\n"
        "void good(void) { pool_put(pool_get(3)); }\n"
        "void bad(void) { char *p = pool_get(3); p[0] = 1; }\n"
    )
    assert run(project, "u.c").returncode == 0
    answer = json.loads(run(project, "--json", "--models", "m.toml", "u.c").stdout)
    assert [leak["function"] for leak in answer["leaks"]] == ["bad"]


def test_second_run_reuses_answers(project: Path) -> None:
    first = json.loads(run(project, "--json", "leak.c", "clean.c").stdout)
    second = json.loads(run(project, "--json", "leak.c", "clean.c").stdout)
    assert (first["reused"], second["reused"]) == (0, 2)
    assert first["leaks"] == second["leaks"]
    (project / "clean.c").write_text("\n" + (project / "clean.c").read_text())
    third = json.loads(run(project, "--json", "leak.c", "clean.c").stdout)
    assert third["reused"] == 1


def test_second_run_knows_the_ways_from_main(project: Path) -> None:
    """What only the walk finds is found again where nothing is analysed anew."""
    (project / "ways.c").write_text(
        "#include <stdlib.h>\nint main(void) {\n    char *all[4];\n"
        "    for (int i = 0; i < 4; i++) all[i] = malloc(4);\n"
        "    for (int i = 1; i < 4; i++) free(all[i]);\n    return 0;\n}\n"
    )
    first, second = (json.loads(run(project, "--json", "ways.c").stdout) for _ in range(2))
    assert second["reused"] == 1
    assert [leak["allocated"]["line"] for leak in first["leaks"]] == [4]
    assert first["leaks"] == second["leaks"]


def test_misuses_only_with_all(project: Path) -> None:
    (project / "d.c").write_text(
        "#include <stdlib.h>\nvoid f(void) { char *p = malloc(3); free(p);\nfree(p); }\n"
    )
    assert run(project, "d.c").returncode == 0
    answer = json.loads(run(project, "--all", "--json", "d.c").stdout)
    assert [(m["kind"], m["place"]["line"]) for m in answer["misuses"]] == [("double-free", 3)]


def test_large_generated_file(project: Path) -> None:
    rows = "\n".join(f"    x += {n};" for n in range(100_000))
    (project / "big.c").write_text(f"int f(int x) {{\n{rows}\n    return x;\n}}\n")
    done = run(project, "big.c")
    assert done.returncode == 0, done.stderr


def test_deep_recursion_ends(project: Path) -> None:
    text = "#include <stdlib.h>\n" + "".join(f"void f{n}(char *p);\n" for n in range(300))
    text += "".join(f"void f{n}(char *p) {{ f{(n + 1) % 300}(p); }}\n" for n in range(300))
    nested = "(" * 200 + "1" + ")" * 200
    (project / "r.c").write_text(text + f"int g(void) {{ return {nested}; }}\n")
    assert run(project, "r.c").returncode == 0


@pytest.mark.parametrize(
    "words",
    [["naïve.c"], ["."], ["-p", "naïve.json"], ["--", "cc", "-c", "naïve.c"]],
    ids=["file", "folder", "database", "build"],
)
def test_names_that_are_not_ascii_in_a_locale_that_is(tmp_path: Path, words: list[str]) -> None:
    folder = tmp_path / "ü"
    folder.mkdir()
    (folder / "naïve.c").write_text(LEAK)
    entry = {"directory": ".", "file": "naïve.c", "arguments": ["cc", "-c", "naïve.c"]}
    (folder / "naïve.json").write_text(json.dumps([entry], ensure_ascii=False))
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run(folder, *words, env=plain)
    assert done.returncode == 1, done.stderr
    assert "1 finding " in done.stdout
    assert "skipped" not in done.stderr
