"""What a finding is called, where its path goes, and which losses are one of them."""

from __future__ import annotations

from pathlib import Path

from heapstory.reporters.leaks.html import leaks_page
from heapstory.reporters.leaks.text import report
from heapstory.static import Sources
from tests.static.conftest import Leaks

HANDED_OUT = """
#include <stdlib.h>
int get(char **out) { *out = malloc(8); return *out ? 0 : -1; }
int use(int bad)
{
    char *key;
    int rv;
    rv = get(&key);
    if (rv)
        return rv;
    if (bad)
        return -2;
    free(key);
    return 0;
}
"""


def test_the_variable_that_holds_it_is_named(leaks: Leaks) -> None:
    (found,) = leaks(HANDED_OUT)
    assert found.variable == "key"


def test_a_path_names_every_file_it_goes_through(leaks: Leaks, tmp_path: Path) -> None:
    (tmp_path / "other.h").write_text(
        "#include <stdlib.h>\nstruct box { char *text; };\n"
        "static inline void set(struct box *b)\n{\n    b->text = malloc(8);\n}\n"
    )
    (found,) = leaks(
        '#include "other.h"\n'
        "void use(struct box *b, int n)\n{\n    set(b);\n    if (n > 3)\n        set(b);\n}\n"
    )
    lines = "".join(report([found], Sources(), "")).splitlines()
    named = [Path(line.strip()).name for line in lines if line.endswith((".c:", ".h:"))]
    assert named == ["unit0.c:", "other.h:"]
    branch = next(n for n, line in enumerate(lines) if "if (n > 3)" in line)
    assert lines[branch - 1].endswith("unit0.c:")
    lost = next(n for n, line in enumerate(lines) if "lost here" in line)
    assert lines[lost - 1].endswith("other.h:")


GROWS = """
#include <stdlib.h>
#include <string.h>
static char *cat(char *s, const char *more)
{
    char *t = realloc(s, strlen(s) + strlen(more) + 1);
    if (!t)
        return NULL;
    strcat(t, more);
    return t;
}
char *first(void)
{
    char *s = calloc(1, 1);
    if (!s)
        return NULL;
    s = cat(s, "a");
    return s;
}
char *second(void)
{
    char *s = calloc(1, 1);
    if (!s)
        return NULL;
    s = cat(s, "b");
    return s;
}
"""


def test_names_of_files_neither_steer_the_terminal_nor_the_page(leaks: Leaks) -> None:
    found = leaks(
        '#include <stdlib.h>\n#line 20 "we\\033[31mird\\n<script>.c"\n'
        "int lose(void) { char *p = malloc(8); if (!p) return 1; return 0; }\n"
    )
    assert len(found) == 1
    text, page = "".join(report(found, Sources(), "")), leaks_page(found, Sources(), "")
    assert r"we\x1b[31mird\n<script>.c:20" in text
    assert "\x1b" not in text + page
    assert "ird\n" not in text + page
    assert "<script>" not in page
    assert r"we\x1b[31mird\n&lt;script&gt;.c:20" in page


def test_one_idiom_repeated_is_one_finding(leaks: Leaks) -> None:
    (found,) = leaks(GROWS)
    assert found.function == "first"
    assert [other.function for other in found.others] == ["second"]


NODES = """
#include <stdlib.h>
struct data { int type; };
struct node { struct data *data; };
static struct data *data_new(int type)
{
    struct data *d = calloc(1, sizeof *d);
    if (d)
        d->type = type;
    return d;
}
static struct node *node_new(struct data *data)
{
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->data = data;
    return n;
}
struct node *number(void)
{
    struct data *data = data_new(1);
    return node_new(data);
}
struct node *text(void)
{
    struct data *data = data_new(2);
    return node_new(data);
}
"""


TWO_ARGUMENTS = """
#include <stdlib.h>
#include <string.h>
struct word { char *name, *text; struct word *next; };
static struct word *words;
static int known(const char *name)
{
    for (struct word *w = words; w; w = w->next)
        if (!strcmp(w->name, name))
            return 1;
    return 0;
}
static int add(char *name, char *text)
{
    struct word *w;
    if (known(name))
        %s
    w = malloc(sizeof *w);
    if (!w)
        exit(1);
    w->name = name; w->text = text; w->next = words; words = w;
    return 0;
}
void warn(void);
void define(const char *name, const char *text)
{
    if (add(strdup(name),
            strdup(text)))
        warn();
}
"""


def test_what_one_call_does_not_take_is_one_finding(leaks: Leaks) -> None:
    [found] = leaks(TWO_ARGUMENTS % "return -1;")
    assert (found.place.line, found.allocated.line) == (27, 27)
    assert [place.line for place in found.also] == [28]
    assert not leaks(TWO_ARGUMENTS % "{ free(name); free(text); return -1; }")


def test_a_constructor_that_fails_to_take_its_data_is_one_finding(leaks: Leaks) -> None:
    (found,) = leaks(NODES)
    assert found.function == "number"
    assert [other.function for other in found.others] == ["text"]


FORGETS = """
#include <stdlib.h>
#include <string.h>
static void release(void *p) { free(p); }
struct name { char *text; };
struct list { int *numbers; };
void names(void)
{
    struct name *n = calloc(1, sizeof *n);
    if (!n)
        return;
    n->text = strdup("x");
    release(n);
}
void lists(void)
{
    struct list *l = calloc(1, sizeof *l);
    if (!l)
        return;
    l->numbers = malloc(8);
    release(l);
}
"""


def test_what_two_callers_of_a_wrapper_forget_is_two_findings(leaks: Leaks) -> None:
    assert [found.variable for found in leaks(FORGETS)] == ["n->text", "l->numbers"]
