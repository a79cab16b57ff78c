"""Units that are compiled together come out as if each had been compiled alone."""

from __future__ import annotations

from pathlib import Path

from heapstory.cfront.capture import Job
from heapstory.cfront.clang import MAX_TOGETHER, ClangError, Module, compile_together, together
from heapstory.cfront.frontend import compile_jobs


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)


def test_a_broken_unit_does_not_harm_the_others(tmp_path: Path) -> None:
    _write(
        tmp_path,
        one_h="struct node { struct node *next; };\n",
        two_h="struct node { int number; char *name; };\n",
        one_c='#include "one.h"\nstruct node *one(struct node *n) { return n->next; }\n',
        bad_c="int bad(void) { return missing; }\n",
        worse_c='#include "nowhere.h"\n',
        two_c='#include "two.h"\nchar *two(struct node *n) { return n->name; }\n',
    )
    names = ("one.c", "bad.c", "absent.c", "worse.c", "two.c")
    one, bad, absent, worse, two = compile_jobs([Job(str(tmp_path), name) for name in names])
    assert one.unit is not None
    assert list(one.unit.functions) == ["@one"]
    assert "bad.c:1" in bad.problem
    assert "missing" in bad.problem
    assert absent.problem == "no such file"
    assert "nowhere.h" in worse.problem
    assert two.unit is not None
    assert list(two.unit.functions) == ["@two"]
    assert two.unit.functions["@two"].place.path == str(tmp_path / "two.c")


def test_every_unit_names_its_own_headers(tmp_path: Path) -> None:
    _write(
        tmp_path,
        both_h="int both;\n",
        one_h='#include "both.h"\n',
        one_c='#include "one.h"\n#include "one.h"\n',
        two_c='#include "both.h"\nint two(void) { return both; }\n',
        three_c="int three;\n",
    )
    jobs = [Job(str(tmp_path), name) for name in ("one.c", "two.c", "three.c")]
    modules = list(compile_together(jobs))
    depends = [m.depends for m in modules if isinstance(m, Module)]
    found = [[Path(name).name for name in dict.fromkeys(names)] for names in depends]
    assert found == [["one.c", "one.h", "both.h"], ["two.c", "both.h"], ["three.c"]]


def test_words_the_driver_quotes(tmp_path: Path) -> None:
    (tmp_path / 'odd "$name.c').write_text("const char *text(void) { return TEXT; }\n")
    job = Job(str(tmp_path), 'odd "$name.c', (r'-DTEXT="a\\b $HOME"',))
    (module,) = compile_together([job])
    assert isinstance(module, Module)
    assert r"a\\b $HOME\00" in module.text


def test_options_that_clang_refuses(tmp_path: Path) -> None:
    _write(tmp_path, one_c="int one;\n", two_c="int two;\n")
    jobs = [Job(str(tmp_path), name, ("-fno-such-option",)) for name in ("one.c", "two.c")]
    found = list(compile_together(jobs))
    assert all(isinstance(each, ClangError) and "-fno-such-option" in str(each) for each in found)
    assert len(found) == 2


def test_only_units_that_are_alike_go_together() -> None:
    many = [Job("/a", f"{number}.c") for number in range(MAX_TOGETHER + 1)]
    other = [Job("/a", "o.c", ("-DO",)), Job("/b", "0.c"), Job("/a", "0.ll")]
    groups = together([*many, *other])
    assert [len(group) for group in groups] == [MAX_TOGETHER, 1, 1, 1, 1]
    assert [job for group in groups for job in group] == [*many, *other]
