"""Frees: who decided to free is named, not a wrapper of ``free``."""

from __future__ import annotations

from typing import Any

import pytest

from tests.locating.test_reading import Question, ask

__all__ = ["ask"]

PUSH = r"""
#include <stdlib.h>
struct item { struct item *next; long value; char *text; };
static struct item *first, *last, *spare;
static long freed, asked;
KEEP static void xfree(void *memory) {
    if (!memory)
        return;
    free(memory); /* xfree */
    freed++;
}
KEEP static void release(long kind, struct item *item) {
    asked += kind;
    xfree(item); /* release */
    asked++;
}
static __attribute__((noinline)) void push(long value) {
    struct item *item = malloc(sizeof *item);
    item->next = NULL;
    item->value = value;
    item->text = malloc(8);
    if (value == 2)
        spare = item;
    if (last)
        last->next = item;
    else
        first = item;
    last = item;
}
"""
MAIN = r"""
int main(void) {
    for (int i = 0; i < 5; i++)
        push(i);
    DROP;
    push(7);
    return freed + asked > 100;
}
"""
# The second of the lines is a call of the wrapper; it forgets to unlink.
CALLER = r"""
static __attribute__((noinline)) void drop(long value) {
    for (struct item **at = &first; *at; at = &(*at)->next)
        if ((*at)->value == value) {
            struct item *gone = *at;
            if (value != 2)
                *at = gone->next;
            WRAPPER(gone); /* decided */
            freed += value;
            return;
        }
}
"""
# These free themselves: what they free is theirs to choose, or they unlink it, or they free more.
UNLINKS = r"""
KEEP static void take_out(struct item **at) {
    struct item *gone = *at;
    if (gone->value != 2)
        *at = gone->next;
    free(gone); /* decided */
    freed++;
}
static __attribute__((noinline)) void drop(void) {
    take_out(&first->next->next);
    asked++;
}
"""
UNLINKS_WITH_A_HELPER = r"""
KEEP static void unlink_item(struct item *item) {
    for (struct item **at = &first; *at; at = &(*at)->next)
        if (*at == item && item->value != 2) {
            *at = item->next;
            return;
        }
}
KEEP static void delete_item(struct item *item) {
    unlink_item(item);
    free(item); /* decided */
    freed++;
}
static __attribute__((noinline)) void drop(void) {
    delete_item(first->next->next);
    asked++;
}
"""
CHOOSES = r"""
KEEP static void drop_spare(void) {
    free(spare); /* decided */
    freed++;
}
static __attribute__((noinline)) void drop(void) {
    drop_spare();
    asked++;
}
"""
FORGETS = r"""
KEEP static void drop_given(struct item *item) {
    spare = NULL;
    free(item); /* decided */
    freed++;
}
static __attribute__((noinline)) void drop(void) {
    drop_given(spare);
    asked++;
}
"""
FREES_MORE = r"""
KEEP static void destroy(struct item *item) {
    free(item->text);
    free(item); /* decided */
    freed++;
}
static __attribute__((noinline)) void drop(void) {
    destroy(first->next->next);
    asked++;
}
"""
LOOPS = r"""
KEEP static void destroy(struct item *item, long times) {
    for (volatile long i = 0; i < times; i++)
        if (i == 1)
            free(item); /* decided */
    freed++;
}
static __attribute__((noinline)) void drop(void) {
    destroy(first->next->next, asked + 2);
    asked++;
}
"""
SPEC = "item { next*; value; }\nlist(next);\n"
NOINLINE = "-DKEEP=__attribute__((noinline))"
BUILDS = [("-O0", NOINLINE), ("-O2", NOINLINE), ("-O2", "-DKEEP=inline"), ("-O3", "-DKEEP=")]


def line_of(source: str, mark: str) -> int:
    return source[: source.index(f"/* {mark} */")].count("\n") + 1


def freeing(answer: dict[str, Any]) -> dict[str, Any]:
    """The decisive free."""
    found = [fault for fault in answer["faults"] if fault["kind"] == "death"]
    assert found and found[0]["relation"] == "decisive", answer["faults"]
    return found[0]


@pytest.mark.parametrize(("level", "keep"), BUILDS)
@pytest.mark.parametrize("wrapper", ["xfree(%s)", "release(1, %s)"])
def test_the_caller_of_wrappers_is_named(
    ask: Question, level: str, keep: str, wrapper: str
) -> None:
    source = PUSH + CALLER.replace("WRAPPER(gone)", wrapper % "gone")
    status, answer = ask(source + MAIN.replace("DROP", "drop(2)"), SPEC, level, keep)
    assert status == 1
    fault = freeing(answer)
    assert fault["place"]["line"] == line_of(source, "decided")
    assert fault["place"]["function"] == "drop"
    assert fault["place"]["raw"]["line"] == line_of(source, "xfree")
    assert fault["stack"][0]["line"] == line_of(source, "xfree")
    lines = [statement["line"] for statement in answer["statements"]]
    assert lines[0] == line_of(source, "decided")
    assert not {line_of(source, "xfree"), line_of(source, "release")} & set(lines)


@pytest.mark.parametrize(("level", "keep"), BUILDS)
@pytest.mark.parametrize(
    "functions", [UNLINKS, UNLINKS_WITH_A_HELPER, CHOOSES, FORGETS, FREES_MORE, LOOPS]
)
def test_who_does_more_than_to_free_is_named(
    ask: Question, level: str, keep: str, functions: str
) -> None:
    source = PUSH + functions
    status, answer = ask(source + MAIN.replace("DROP", "drop()"), SPEC, level, keep)
    assert status == 1
    fault = freeing(answer)
    assert fault["place"]["line"] == line_of(source, "decided")
    assert "raw" not in fault["place"]
