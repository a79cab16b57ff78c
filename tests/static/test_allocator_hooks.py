"""Allocators behind pointers that a library lets its user replace."""

from __future__ import annotations

import pytest

from tests.static.conftest import Leaks

VARIABLE = """
#include <stdlib.h>
typedef void *(*get)(size_t);
typedef void (*put)(void *);
void set_hooks(get g, put p);
extern get hook_get;
extern put hook_put;
"""
HOOKS = (
    VARIABLE
    + """
get hook_get = malloc;
put hook_put = free;
void set_hooks(get g, put p) { hook_get = g; hook_put = p; }
"""
)
USE = (
    VARIABLE
    + """
int use(int bad)
{
    char *p = hook_get(10);
    if (!p)
        return -1;
    if (bad)
        return -2;
    hook_put(p);
    return 0;
}
"""
)


def test_a_variable_that_the_user_may_replace(leaks: Leaks) -> None:
    (found,) = leaks(USE, HOOKS)
    assert (found.variable, found.confidence) == ("p", "high")
    assert not leaks(USE.replace("return -2;", "{ hook_put(p); return -2; }"), HOOKS)


def test_a_variable_of_one_file(leaks: Leaks) -> None:
    text = (HOOKS + USE).replace("extern ", "static ")
    text = text.replace("\nget hook", "\nstatic get hook").replace(
        "\nput hook", "\nstatic put hook"
    )
    assert len(leaks(text)) == 1


SESSION = """
#include <stdlib.h>
struct session { void *(*get)(size_t, void *); void (*put)(void *, void *); void *user; };
static void *usual_get(size_t n, void *user) { (void)user; return malloc(n); }
static void usual_put(void *p, void *user) { (void)user; free(p); }
struct session *start(void *(*g)(size_t, void *), void (*p)(void *, void *))
{
    void *(*get)(size_t, void *) = usual_get;
    void (*put)(void *, void *) = usual_put;
    struct session *s;
    if (g)
        get = g;
    if (p)
        put = p;
    s = get(sizeof *s, 0);
    if (s) {
        s->get = get;
        s->put = put;
        s->user = 0;
    }
    return s;
}
int use(struct session *s, int bad)
{
    char *p = s->get(10, s->user);
    if (!p)
        return -1;
    if (bad)
        FORGET;
    s->put(p, s->user);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("way", "expected"), [("return -2", ["p"]), ("{ s->put(p, s->user); return -2; }", [])]
)
def test_a_member_set_from_a_variable(leaks: Leaks, way: str, expected: list[str]) -> None:
    found = leaks(SESSION.replace("FORGET", way))
    assert [f.variable for f in found if f.confidence != "low"] == expected


EMPTY = """
#include <stdlib.h>
static void *(*get)(size_t);
static void (*put)(void *);
static void (*done)(void *);
void set_hooks(void *(*g)(size_t), void (*p)(void *)) { get = g; put = p; }
void set_done(void (*d)(void *)) { done = d; }
void *make(size_t n) { if (get) return get(n); return malloc(n); }
void drop(void *p) { if (put) put(p); else free(p); }
int use(int bad)
{
    char *p = make(10);
    if (!p)
        return -1;
    if (bad) {
        %s
        return -2;
    }
    drop(p);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("release", "lost"), [("", 1), ("drop(p);", 0), ("if (done) done(p); else drop(p);", 0)]
)
def test_a_hook_that_is_empty_at_first(leaks: Leaks, release: str, lost: int) -> None:
    assert len(leaks(EMPTY % release)) == lost


def test_a_callback_may_release_what_it_is_given(leaks: Leaks) -> None:
    assert not leaks(EMPTY % "if (done) { done(p); return 0; } drop(p);")


def test_a_hook_that_must_be_set_is_not_taken_for_empty(leaks: Leaks) -> None:
    must = EMPTY.replace(
        "if (get) return get(n); return malloc(n);", "if (!get) abort(); return get(n);"
    )
    own = "int own(void) { char *q = malloc(8); char *p = make(3); return p && q; }"
    assert [f.function for f in leaks(must % "" + own)] == ["own"]
