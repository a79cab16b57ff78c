"""Members that one function fills, and that the one which frees their structure forgets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import heapstory
from heapstory.cfront.capture import Job
from heapstory.static import Options, Sources, analyse, collect_findings, load_models
from tests.static.conftest import Leaks

BEGIN = """
#include <stdlib.h>
#include <string.h>
struct inner { int used; char *text; };
struct graph { int n; char *name; char *title; struct inner in; struct graph *next; };
void graph_title(struct graph *g, const char *t) { free(g->title); g->title = strdup(t); }
"""
FREE = "void graph_free(struct graph *g) { free(g->title); free(g); }\n"
RENAME = "void graph_rename(struct graph *g, const char *n) { g->name = strdup(n); }\n"

# Given null, it releases the member.
SET = """void graph_set(struct graph *g, const char *n) {
    free(g->name); g->name = NULL;
    if (n) g->name = strdup(n); }
"""
RESIZE = """void graph_resize(struct graph *g, int n) {
    if (g->name) { free(g->name); g->name = 0; }
    if (n > 0) g->name = malloc(n); }
"""

FORGETTING = {
    "filled": RENAME,
    "set to a text": SET + 'void r(struct graph *g) { graph_set(g, "x"); }',
    "resized to a number": RESIZE + "void r(struct graph *g) { graph_resize(g, 8); }",
    "always set anew": "void graph_set(struct graph *g, const char *n) {\n"
    " free(g->name); g->name = NULL; g->name = n ? strdup(n) : malloc(1); }\n"
    "void r(struct graph *g) { graph_set(g, NULL); }",
    "replaced": "void r(struct graph *g, char *n) { free(g->name); g->name = strdup(n); }",
    "enlarged": "void r(struct graph *g, int n) { char *b = realloc(g->name, n);"
    " if (b) g->name = b; }",
    "enlarged by a callee": "static void *grow(void *p, size_t n) {"
    " return realloc(p, n ? n : 1); }\n"
    "void r(struct graph *g, int n) { char *b = grow(g->name, n); if (b) g->name = b; }",
    "by a callee": "static int make(char **to) { *to = malloc(8); return *to ? 0 : -1; }\n"
    "int r(struct graph *g) { return make(&g->name); }",
    "by way of a pointer to it": "void r(struct graph *g, char *n) {"
    " char **p = &g->name; *p = strdup(n); }",
    "embedded": "void r(struct graph *g, char *n) { g->in.text = strdup(n); }",
    "freed through another structure": "struct outer { int n; struct graph *own; };\n"
    "void outer_free(struct outer *o) { free(o->own->title); free(o->own); free(o); }\n" + RENAME,
    "only looked at": RENAME + "const char *name(struct graph *g) { return g->name; }\n"
    "int length(struct graph *g) { return strlen(name(g)); }",
}

NOT_FORGETTING = {
    "set to null": SET + "void graph_close(struct graph *g) { graph_set(g, NULL); }",
    "resized to 0": RESIZE + "void graph_close(struct graph *g) { graph_resize(g, 0); }",
    "set by itself to null": "void graph_set(struct graph *g, const char *n) {\n"
    " free(g->name);\n if (!n) { g->name = 0; return; }\n g->name = strdup(n); }\n"
    "void graph_close(struct graph *g) { graph_set(g, NULL); }",
    "released by another function": "void graph_close(struct graph *g) { free(g->name); }",
    "released through its address": "static void clear(char **p) { free(*p); *p = NULL; }\n"
    "void graph_close(struct graph *g) { clear(&g->name); }",
    "released by way of a pointer to it": "static void release(char *p) { free(p); }\n"
    "void graph_close(struct graph *g) { char **p = &g->name; if (g->n) release(*p); }",
    "handed to a function nobody knows": "void keep(char *);\n"
    "void graph_close(struct graph *g) { keep(g->name); }",
    "moved": "char *names[9]; void r(struct graph *g) { names[0] = g->name; }",
    "returned and released": "char *name(struct graph *g) { return g->name; }\n"
    "void r(struct graph *g) { free(name(g)); }",
    "its address is kept": "char **at; void r(struct graph *g) { at = &g->name; }",
    "a variable of this type": "struct graph one; void r(void) { free(one.name); }",
    "copied byte by byte": "void r(struct graph *g, char **to) { memcpy(to, &g->name, 8); }",
    "taken for another structure": "struct plain { int n; char *first; };\n"
    "void r(struct graph *g) { if (g->n) free(((struct plain *)g)->first); }",
    "exchanged": "char *r(struct graph *g) { return __atomic_exchange_n(&g->name, 0, 5); }",
}


@pytest.mark.parametrize("way", FORGETTING)
def test_a_forgotten_member_is_lost_when_the_structure_is_freed(leaks: Leaks, way: str) -> None:
    [found] = leaks(BEGIN + FREE + FORGETTING[way])
    assert (found.kind, found.function, found.confidence) == (
        "field-lost-at-free", "graph_free", "high"
    )  # fmt: skip
    assert found.place.line == 7


@pytest.mark.parametrize("way", NOT_FORGETTING)
def test_nothing_is_said_of_a_member_that_goes_anywhere(leaks: Leaks, way: str) -> None:
    assert not leaks(BEGIN + FREE + RENAME + NOT_FORGETTING[way])


def test_filled_and_freed_in_different_files(leaks: Leaks) -> None:
    [found] = leaks(BEGIN + FREE, BEGIN.replace("graph_title", "other_title") + RENAME)
    assert found.allocated.function == "graph_rename"


def test_what_is_made_is_also_kept_elsewhere(leaks: Leaks) -> None:
    kept = "char *last;\nvoid r(struct graph *g, char *n) { last = g->name = strdup(n); }"
    assert not leaks(BEGIN + FREE + kept)


def test_filled_for_a_while(leaks: Leaks) -> None:
    use = "int use(char *);\n"
    lines = "void r(struct graph *g) {\n g->name = strdup(g->title);\n use(0);\n free(g->name);\n}"
    assert not leaks(BEGIN + FREE + use + lines)


def test_a_constructor_that_fails_is_no_destructor(leaks: Leaks) -> None:
    make = """struct graph *make(int n) {
        struct graph *g = calloc(1, sizeof *g);
        if (!g) return NULL;
        if (n > 5) { free(g); return NULL; }
        g->n = n;
        return g; }\n"""
    assert not leaks(BEGIN + make + RENAME)


def test_where_no_other_member_is_released_it_is_less_sure(leaks: Leaks) -> None:
    plain = "void graph_free(struct graph *g) { g->n = 0; free(g); }\n"
    [found] = leaks(BEGIN.split("void graph_title")[0] + plain + RENAME)
    assert (found.confidence, [d.word for d in found.doubts]) == ("medium", ["nobody-releases"])


def test_a_function_that_was_not_analysed_may_release_it_before(leaks: Leaks) -> None:
    close = "void graph_end(struct graph *);\n"
    free = "void graph_free(struct graph *g) { graph_end(g); free(g->title); free(g); }\n"
    [found] = leaks(BEGIN + close + free + RENAME)
    assert (found.confidence, [d.word for d in found.doubts]) == ("low", ["unseen-function"])
    here = "void graph_end(struct graph *g) { g->n = 0; }\n"
    draw = "int draw(struct graph *); int r(struct graph *g) { g->n = 1; return draw(g); }\n"
    [found] = leaks(BEGIN + close + free + RENAME + here + draw)
    assert (found.confidence, found.doubts) == ("high", [])


def test_a_structure_that_is_freed_by_the_name_of_a_member(leaks: Leaks) -> None:
    """No function looks into the structure before it is freed."""
    nested = """struct outer { char *title; struct graph *own; };
        void outer_free(struct outer *o) { free(o->title); free(o->own); free(o); }
        void title(struct outer *o, const char *n) {
            free(o->own->name);
            o->own->name = strdup(n);
        }\n"""
    [found] = leaks(BEGIN.split("void graph_title")[0] + nested)
    assert (found.function, found.confidence) == ("outer_free", "medium")
    close = "void graph_close(struct graph *g) { free(g->name); }"
    assert not leaks(BEGIN.split("void graph_title")[0] + nested + close)


def test_one_forgotten_member_is_one_finding(leaks: Leaks) -> None:
    """A caller that was seen to lose it, and the search for forgotten members, mean the same."""
    make = """struct graph *make(const char *n) {
            struct graph *g = calloc(1, sizeof *g);
            if (!g) return NULL;
            g->name = strdup(n);
            return g;
        }
        void use(void) { struct graph *g = make("one"); if (g) graph_free(g); }\n"""
    [found] = leaks(BEGIN + FREE + make)
    assert (found.function, found.callers) == ("graph_free", ["use"])


def test_a_unit_that_was_not_read_may_release_it(tmp_path: Path) -> None:
    texts = {"graph.c": BEGIN + FREE + RENAME, "other.c": "void close("}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    jobs = [Job(str(tmp_path), name) for name in texts]
    result = analyse(jobs, Options(load_models([]), processes=1))
    assert not collect_findings(result.results, False, Sources())


def test_a_unit_in_another_language_may_release_it(tmp_path: Path) -> None:
    (tmp_path / "graph.c").write_text(BEGIN + FREE + RENAME)
    jobs = [Job(str(tmp_path), "graph.c")]
    for complete, lost in ((True, 1), (False, 0)):
        result = analyse(jobs, Options(load_models([]), processes=1, complete=complete))
        assert len(collect_findings(result.results, False, Sources())) == lost


def test_a_build_with_a_unit_of_cpp_is_not_complete(tmp_path: Path) -> None:
    (tmp_path / "graph.c").write_text(BEGIN + FREE + RENAME)
    (tmp_path / "close.cpp").write_text("int one;\n")
    entries = [
        {"directory": str(tmp_path), "file": name, "arguments": ["cc", "-c", name]}
        for name in ("graph.c", "close.cpp")
    ]
    database = tmp_path / "compile_commands.json"
    database.write_text(json.dumps(entries))
    assert not heapstory.leaks(database=str(database), cache=False).findings
    database.write_text(json.dumps(entries[:1]))
    assert len(heapstory.leaks(database=str(database), cache=False).findings) == 1
