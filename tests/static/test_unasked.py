"""Ways that only a null pointer leads to, which nobody asked for, are guesses; others are not."""

from __future__ import annotations

from tests.static.conftest import Leaks

# Both callees take null for something else; only they ask.
MOMENT = """
#include <stdlib.h>
struct moment { int seconds; };
static int seconds_of(const struct moment *moment, int *seconds)
{
    if (moment == NULL) {
        *seconds = 0;
        return 1;
    }
    *seconds = moment->seconds;
    return *seconds > 0;
}
static struct moment *from_seconds(struct moment *moment, int seconds)
{
    if (moment == NULL)
        moment = malloc(sizeof *moment);
    if (moment == NULL)
        return NULL;
    moment->seconds = seconds;
    return moment;
}
int normalise(struct moment *moment)
{
    int seconds;
    %s
    if (!seconds_of(moment, &seconds))
        return 0;
    return from_seconds(moment, seconds) != NULL;
}
"""

# The callee has a result of its own for null, which its callers take for success.
STACK = """
#include <stdlib.h>
struct stack { char **items; int count, room; };
struct holder { struct stack *stack; };
static int push(struct stack *stack, char *item)
{
    if (stack == NULL)
        return -1;
    if (stack->count == stack->room)
        return 0;
    stack->items[stack->count++] = item;
    return stack->count;
}
int use(struct holder *holder)
{
    char *item = malloc(8);
    if (item == NULL)
        return 0;
    if (!push(holder->stack, item)) {
        %s
        return 0;
    }
    return 1;
}
"""

# A variable that is null unless it was set: the question is whether it was.
UNION = """
#include <stdlib.h>
#include <string.h>
struct set { int count; int *elements; };
struct state { struct set *entrance; };
static int copy(struct set *into, const struct set *one, const struct set *other)
{
    const struct set *from = one != NULL && one->count > 0 ? one : other;
    into->count = from->count;
    into->elements = malloc(from->count);
    if (into->elements == NULL)
        return -1;
    memcpy(into->elements, from->elements, from->count);
    return 0;
}
int merge(struct set *log, struct state *next)
{
    struct set all, *table = NULL;
    int found;
    if (next != NULL) {
        table = next->entrance;
        if (copy(&all, table, log) != 0)
            return -1;
    } else
        all = *log;
    found = all.count;
    if (%s)
        free(all.elements);
    return found;
}
"""


def confidences(leaks: Leaks, text: str) -> set[str]:
    return {finding.confidence for finding in leaks(text)}


def test_null_that_two_callees_ask_for(leaks: Leaks) -> None:
    assert confidences(leaks, MOMENT % "") <= {"low"}
    assert "high" in confidences(leaks, MOMENT % "if (moment != NULL) return 1;")


def test_results_that_only_null_gives(leaks: Leaks) -> None:
    assert confidences(leaks, STACK % "free(item);") <= {"low"}
    assert "high" in confidences(leaks, STACK % "")


def test_variables_that_are_null_unless_set(leaks: Leaks) -> None:
    assert confidences(leaks, UNION % "table != NULL") <= {"low"}
    assert "high" in confidences(leaks, UNION % "next == NULL")
