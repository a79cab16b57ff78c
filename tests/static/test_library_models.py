"""What is known of libraries whose source is not there."""

from __future__ import annotations

import subprocess

import pytest

from heapstory.static import load_models
from tests.static.conftest import Leaks

# What glibc keeps: a block that is handed to one of these is not lost.
KEEPERS = {
    "putenv", "setvbuf", "setbuf", "setbuffer", "pthread_setspecific", "pthread_create", "atexit",
    "on_exit", "tsearch", "hsearch", "insque", "epoll_ctl", "sigaltstack", "initstate", "setstate",
    "timer_create", "sigqueue", "pthread_attr_setstack", "aio_read", "aio_write",
}  # fmt: skip


def test_nothing_that_keeps_its_arguments_is_said_to_look_only() -> None:
    models = load_models([])
    assert not KEEPERS & {*models.reads, *models.fills, *models.returns}


def test_every_release_is_known() -> None:
    models = load_models([])
    made = {
        *models.allocates.values(),
        *(release for _, release in models.allocates_unless.values()),
    }
    made |= {release for _, _, release in models.gives.values()}
    assert not made - {*models.releases, *models.empties, "g_string_free"}


@pytest.mark.parametrize(
    "word", ["malloc_usable_size", "strtok", "mkstemp", "getopt_long", "writev", "readdir"]
)
def test_the_c_library_has_them(word: str) -> None:
    models = load_models([])
    assert word in models.reads or word in models.fills
    names = subprocess.run(
        ["nm", "-D", "--defined-only", "/lib/x86_64-linux-gnu/libc.so.6"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert f" {word}@@" in names


COUNTED = """
#include <malloc.h>
#include <stdlib.h>
static size_t total;
static void *counted(size_t n)
{
    void *p = malloc(n);
    if (p)
        total += malloc_usable_size(p);
    return p;
}
int use(int bad)
{
    char *p = counted(10);
    if (!p)
        return -1;
    if (bad)
        return -2;
    free(p);
    return 0;
}
"""


def test_a_library_function_that_only_looks_ends_nothing(leaks: Leaks) -> None:
    (found,) = leaks(COUNTED)
    assert found.variable == "p"
    assert not leaks(COUNTED.replace("return -2;", "{ free(p); return -2; }"))


UNLESS = """
typedef struct x X509;
typedef struct b BIO;
X509 *PEM_read_bio_X509(BIO *in, X509 **into, void *ask, void *user);
void X509_free(X509 *);
int use(BIO *in, int bad)
{
    X509 *cert = PEM_read_bio_X509(in, INTO, 0, 0);
    if (!cert)
        return -1;
    if (bad)
        return -2;
    X509_free(cert);
    return 0;
}
"""


def test_new_memory_unless_there_is_a_place_for_it(leaks: Leaks) -> None:
    (found,) = leaks(UNLESS.replace("INTO", "0"))
    assert (found.variable, found.allocator) == ("cert", "PEM_read_bio_X509")
    held = UNLESS.replace("INTO", "&known").replace("int use", "static X509 *known;\nint use")
    assert not leaks(held)


STRINGS = """
typedef struct { char *str; unsigned long len; } GString;
GString *g_string_new(const char *);
GString *g_string_append(GString *, const char *);
void g_string_append_printf(GString *, const char *, ...);
char *g_string_free(GString *, int);
void g_free(void *);
void show(const char *);
char *text(const char *name)
{
    GString *s = g_string_new("");
    s = g_string_append(s, name);
    g_string_append_printf(s, "%%d", 1);
    %s
}
"""


@pytest.mark.parametrize(
    "losing", ["g_string_free(s, 0); return 0;", "return 0;", "show(s->str); return 0;"]
)
def test_a_string_of_glib_is_lost(leaks: Leaks, losing: str) -> None:
    [found] = leaks(STRINGS % losing)
    assert (found.function, found.confidence) == ("text", "high")


@pytest.mark.parametrize(
    "correct",
    [
        "g_string_free(s, 1); return 0;",
        "return g_string_free(s, 0);",
        "g_free(g_string_free(s, 0)); return 0;",
        "char *held = s->str; g_string_free(s, 0); return held;",
        "char *held = s->str; g_string_free(s, 0); g_free(held); return 0;",
    ],
)
def test_a_string_of_glib_is_released(leaks: Leaks, correct: str) -> None:
    assert not leaks(STRINGS % correct)


COPIES = """
char *g_strdup(const char *);
char *g_ascii_strdown(const char *, long);
void g_free(void *);
void show(const char *);
struct options { char *name; };
void keep(struct options *o, const char *name)
{
    char *low = g_ascii_strdown(name, -1);
    char *copy = g_strdup(low);
    %s
}
"""


def test_texts_of_glib(leaks: Leaks) -> None:
    assert not leaks(COPIES % "g_free(low); o->name = copy;")
    [lost] = leaks(COPIES % "g_free(copy);")
    assert (lost.variable, lost.confidence) == ("low", "high")
    [lost] = leaks(COPIES % "g_free(low);")
    assert (lost.variable, lost.confidence) == ("copy", "high")
