"""What ties things together survives joins and calls: pointers below a null pointer, members that
a callee perhaps followed, sizes of which one is never the smaller."""

from __future__ import annotations

import pytest

from tests.static.conftest import Leaks

# Releasing looks at members that are null here, but only where they are not.
COUNTED = """
#include <stdlib.h>
struct method { int uses; };
struct key { struct method *method; int references; };
static void key_clear(struct key *k)
{
    if (k->method != NULL)
        k->method->uses--;
}
static void key_free(struct key *k)
{
    if (__atomic_sub_fetch(&k->references, 1, __ATOMIC_RELAXED) > 0)
        return;
    key_clear(k);
    free(k);
}
int use(void)
{
    struct key *k = calloc(1, sizeof *k);
    if (!k)
        return 0;
    k->references = 1;
    %s(k);
    return 1;
}
"""

# Made if the caller gave none; released on errors if the caller gave none.
GIVEN = """
#include <stdlib.h>
struct pair { char *one, *other; };
int decode(char *one, char *other);
static void pair_free(struct pair *p)
{
    free(p->one);
    free(p->other);
    free(p);
}
struct pair *read_pair(struct pair **into)
{
    struct pair *p;
    if (into != NULL && *into != NULL)
        p = *into;
    else if ((p = calloc(1, sizeof *p)) == NULL)
        return NULL;
    if (p->one == NULL)
        p->one = malloc(8);
    if (p->other == NULL)
        p->other = malloc(8);
    if (p->one == NULL || p->other == NULL || decode(p->one, p->other) == 0) {
        if (%s)
            pair_free(p);
        return NULL;
    }
    if (into != NULL && *into == NULL)
        *into = p;
    return p;
}
"""

# The room that was made is never too small.
ROOM = """
#include <stdlib.h>
#include <string.h>
struct parameter { const void *data; size_t size; int text; };
static int get(const struct parameter *p, void **value, size_t *room)
{
    size_t size = p->size, needed = size %s;
    if (*value == NULL) {
        char *made = malloc(needed);
        if (!made)
            return 0;
        *value = made;
        *room = needed;
    }
    if (*room < size)
        return 0;
    memcpy(*value, p->data, size);
    return 1;
}
int set(void **kept, const struct parameter *p)
{
    void *value = NULL;
    size_t room = 0;
    if (!get(p, &value, &room))
        return 0;
    free(*kept);
    *kept = value;
    return 1;
}
"""

# What a function returns says whether it got the memory.
LOCKED = """
#include <stdlib.h>
#include <string.h>
struct table { char *lock; int size; };
static int make_lock(struct table *table)
{
    table->lock = malloc(8);
    return table->lock != NULL;
}
int init(struct table *table)
{
    int locked = 0;
    if (!make_lock(table))
        goto failed;
    locked = 1;
    if (table->size > 9)
        goto failed;
    return 1;
failed:
    if (%s)
        free(table->lock);
    memset(table, 0, sizeof *table);
    return 0;
}
"""

# So many ways that they are joined: what was perhaps put into the key is perhaps there.
KEPT = """
#include <stdlib.h>
struct key { char *n, *e, *d; int changes; };
static int give(struct key *key, char *n, char *e, char *d)
{
    if ((key->n == NULL && n == NULL) || (key->e == NULL && e == NULL))
        return 0;
    if (n != NULL) { free(key->n); key->n = n; }
    if (e != NULL) { free(key->e); key->e = e; }
    if (d != NULL) { free(key->d); key->d = d; }
    key->changes++;
    return 1;
}
int use(struct key *key)
{
    char *d = malloc(8);
    if (d == NULL)
        return 0;
    if (!give(key, NULL, NULL, %s)) {
        free(d);
        return 0;
    }
    return 1;
}
"""

# A flag and an out-parameter that agree, with many joins in between.
CHILD = """
#include <stdlib.h>
int check(int number, int flags);
int start(char **child, int flags)
{
    char *made = NULL;
    if (child != NULL)
        *child = NULL;
    if (((flags & 4) == 0) != (child == NULL))
        return 0;
    BETWEEN
    if ((flags & %s) != 0 && (made = malloc(8)) == NULL)
        return 0;
    if (child != NULL)
        *child = made;
    return 1;
}
"""


@pytest.mark.parametrize(("release", "lost"), [("key_free", 0), ("key_clear", 1)])
def test_a_member_that_a_callee_perhaps_followed_is_perhaps_null(
    leaks: Leaks, release: str, lost: int
) -> None:
    assert len(leaks(COUNTED % release)) == lost


@pytest.mark.parametrize(
    ("question", "lost"), [("into == NULL || *into == NULL", False), ("into == NULL", True)]
)
def test_below_a_null_pointer_everything_holds(leaks: Leaks, question: str, lost: bool) -> None:
    assert any(f.function == "read_pair" for f in leaks(GIVEN % question)) == lost


@pytest.mark.parametrize(("more", "lost"), [("+ (p->text || size == 0)", 0), ("- p->text", 1)])
def test_a_size_and_a_truth_value_are_no_less_than_the_size(
    leaks: Leaks, more: str, lost: int
) -> None:
    assert len(leaks(ROOM % more)) == lost


@pytest.mark.parametrize(("locked", "lost"), [("locked", 0), ("!locked", 1)])
def test_a_result_that_says_whether_there_is_memory(leaks: Leaks, locked: str, lost: int) -> None:
    assert len(leaks(LOCKED % locked)) == lost


@pytest.mark.parametrize(("given", "lost"), [("d", 0), ("NULL", 1)])
def test_what_a_callee_perhaps_kept(leaks: Leaks, given: str, lost: int) -> None:
    assert len(leaks(KEPT % given)) == lost


@pytest.mark.parametrize(("flag", "lost"), [("4", 0), ("8", 1)])
def test_a_flag_and_a_pointer_that_agree(leaks: Leaks, flag: str, lost: int) -> None:
    between = "\n".join(f"if (check({n}, flags)) check(-{n}, flags);" for n in range(1, 50))
    assert len(leaks(CHILD.replace("BETWEEN", between) % flag)) == lost
