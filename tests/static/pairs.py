"""Pairs of small C programs: one leaks, its twin does not. Ownership is known by construction.

A pair is one way to *get* memory, one *shape* of control flow and one *holder* that keeps it. The
program takes no input; run under LeakSanitizer it must agree with its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

PRELUDE = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char *text; };
struct box { int n; char *a; char *b; char *many[4]; };
static volatile int choice = 1;
void use(const char *p) { if (p) printf("%p", (const void *)p); }
"""

# Several rounds: what the last one left on the stack would hide it from a checker at run time. No
# more than three: clang --analyze gives up a path on which it has seen a loop four times.
MAIN = """int main(void) {
    for (int round = 0; round < 3; round++)
        run();
    return 0;
}
"""

GET = {
    "malloc": ("", "malloc(8)"),
    "calloc": ("", "calloc(2, 4)"),
    "strdup": ("", 'strdup("text")'),
    "strndup": ("", 'strndup("text", 3)'),
    "realloc": ("", "realloc(NULL, 8)"),
    "aligned": ("", "aligned_alloc(16, 32)"),
    "wrapper": (
        "static void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }\n",
        "xmalloc(8)",
    ),
    "deep": (
        "static char *one(void) { return malloc(8); }\n"
        "static char *two(int k) { char *p = one(); if (p) p[0] = (char)k; return p; }\n",
        "two(3)",
    ),
}

# {get}: an expression; {drop}: the release, empty in the leaking twin.
SHAPES = {
    "sequence": "char *p = {get}; use(p); {drop}",
    "branch": "char *p = {get}; if (choice) {{ use(p); {drop} }} else {{ free(p); }}",
    "early": "char *p = {get}; if (choice) {{ {drop} return 1; }} free(p);",
    "goto": "int r = 1; char *p = {get}; if (choice) goto out; r = 0; out: {drop} return r;",
    "switch": "char *p = {get}; switch (choice) {{ case 1: {drop} break; default: free(p); }}",
    "loop": "for (int i = 0; i < 3; i++) {{ char *p = {get}; use(p); {drop} }}",
    "while": "int i = 3; while (i-- > 0) {{ char *p = {get}; if (!p) continue; use(p); {drop} }}",
    "two": (
        "char *p = {get}; char *q = malloc(4); if (!q) {{ free(p); return -1; }} {drop} free(q);"
    ),
    "flag": "int own = choice; char *p = 0; if (own) p = {get}; use(p); if (own) {{ {drop} }}",
    "overwrite": "char *p = {get}; use(p); {drop} p = malloc(3); free(p);",
    "argument": "char *p = {get}; take(p);",
    "out": "char *p = 0; if (give(&p) != 0) return 1; use(p); {drop}",
}
EXTRA = {
    "argument": "static void take(char *p) {{ use(p); {drop} }}\n",
    "out": (
        "static int give(char **r) {{ char *p = {get}; if (!p) return -1; *r = p; return 0; }}\n"
    ),
}

HOLDERS = {
    "member": (
        "struct box *x = calloc(1, sizeof *x); if (!x) return 1; x->a = {get};"
        " use(x->a); {drop} free(x);",
        "free(x->a);",
    ),
    "second": (
        "struct box *x = calloc(1, sizeof *x); if (!x) return 1; x->a = malloc(2); x->b = {get};"
        " free(x->a); {drop} free(x);",
        "free(x->b);",
    ),
    "stack": ("struct box x = {{0}}; x.a = {get}; use(x.a); {drop}", "free(x.a);"),
    "copied": ("struct box x = {{0}}, y; x.a = {get}; y = x; use(y.a); {drop}", "free(y.a);"),
    "list": (
        "struct node *h = 0; for (int i = 0; i < 3; i++) {{ struct node *e = calloc(1, sizeof *e);"
        " if (!e) break; e->text = {get}; e->next = h; h = e; }}"
        " while (h) {{ struct node *t = h->next; {drop} free(h); h = t; }}",
        "free(h->text);",
    ),
    "nodes": (
        "struct node *h = 0; for (int i = 0; i < 3; i++) {{ struct node *e = calloc(1, sizeof *e);"
        " if (!e) break; e->text = {get}; e->next = h; h = e; }}"
        " while (h) {{ struct node *t = h->next; free(h->text); {drop} h = t; }}",
        "free(h);",
    ),
    "array": (
        "char **v = calloc(3, sizeof *v); if (!v) return 1;"
        " for (int i = 0; i < 3; i++) v[i] = {get};"
        " {drop} free(v);",
        "for (int i = 0; i < 3; i++) free(v[i]);",
    ),
    "fixed": (
        "char *v[2]; v[0] = {get}; v[1] = {get}; use(v[0]); free(v[0]); {drop}",
        "free(v[1]);",
    ),
    "global": ("static char *kept; kept = {get}; use(kept); {drop} kept = 0;", "free(kept);"),
    "callback": (
        "void (*f)(const char *) = use; char *p = {get}; f(p); {drop}",
        "free(p);",
    ),
    "realloc": (
        "char *p = {get}; char *q = realloc(p, 40);"
        " if (!q) {{ free(p); return 1; }} use(q); {drop}",
        "free(q);",
    ),
    "file": (
        'FILE *f = fopen("/dev/null", "r"); char *p = {get}; free(p); {drop}',
        "if (f) fclose(f);",
    ),
    "helper": ("char *p = {get}; use(p); {drop}", "release(p);"),
    "cleanup": ("{drop} char *p = {get}; use(p);", "__attribute__((cleanup(unset)))"),
}
HELPERS = (
    "static void release(char *p) { if (p) free(p); }\nstatic void unset(char **p) { free(*p); }\n"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs: ``bad`` leaks, ``good`` does not."""

    name: str
    bad: str
    good: str


def pairs() -> Iterator[Pair]:
    """All pairs, in a fixed order."""
    for (get, (extra, expression)), (shape, body) in product(GET.items(), SHAPES.items()):
        texts = []
        for drop in ("", "free(p);"):
            helpers = (
                EXTRA.get(shape, "").format(get=expression, drop=drop) if shape in EXTRA else ""
            )
            texts.append(_program(extra + helpers, body.format(get=expression, drop=drop)))
        yield Pair(f"{get}-{shape}", *texts)
    for (get, (extra, expression)), (holder, (body, drop)) in product(GET.items(), HOLDERS.items()):
        texts = [
            _program(extra + HELPERS, body.format(get=expression, drop=each)) for each in ("", drop)
        ]
        yield Pair(f"{get}-{holder}", *texts)
    yield from _two_files()


def _program(helpers: str, body: str) -> str:
    lines = body.replace("; ", ";\n    ").replace("{ ", "{\n    ")
    run = f"{helpers}int run(void) {{\n    {lines}\n    return 0;\n}}\n"
    return f"{PRELUDE}{run}{MAIN}"


SEPARATOR = "/* --- second file --- */\n"


def _two_files() -> Iterator[Pair]:
    """Allocation in one file, release (or not) in another."""
    library = (
        "#include <stdlib.h>\nchar *make(int n) { return malloc((size_t)n); }\n"
        "void drop(char *p) { free(p); }\nint fill(char **out) { *out = malloc(4);"
        " return *out ? 0 : -1; }\n"
    )
    bodies = {
        "returned": ("char *p = make(3); use(p);", "drop(p);"),
        "filled": ("char *p; if (fill(&p)) return 1; use(p);", "drop(p);"),
        "error": (
            "char *p = make(3); char *q = make(4); if (!q) {",
            " drop(p); return 1; } drop(q); drop(p);",
        ),
        "loop": ("for (int i = 0; i < 3; i++) { char *p = make(i + 1); use(p);", "drop(p); }"),
        "early": ("char *p = make(3); if (choice) {", " drop(p); return 1; } drop(p);"),
        "table": ("char *v[2] = {make(1), make(2)}; drop(v[0]);", "drop(v[1]);"),
    }
    heads = "char *make(int);\nvoid drop(char *);\nint fill(char **);\n"
    for name, (start, end) in bodies.items():
        bad = end.replace("drop(p);", "", 1) if name in ("error", "early", "loop") else ""
        texts = [_program(heads, f"{start} {each}") for each in (bad, end)]
        yield Pair(f"files-{name}", *(SEPARATOR.join((text, library)) for text in texts))
