"""Elements that loops make, in functions beyond the budget: allocations are followed one by one."""

from __future__ import annotations

from heapstory.static.heap.doubt import Doubt
from tests.static.conftest import Leaks

COPY = """
#include <stdlib.h>
struct rule { int what; char *name; struct rule *next; };
struct filter { char *name; struct rule *rules; };
int accept(struct filter *f, int what);
int copy(struct filter *to, const struct filter *from, int flags)
{
    %s
    const struct rule *each = from->rules;
    do {
        struct rule *made = malloc(sizeof *made);
        if (!made)
            goto failed;
        made->what = each->what;
        made->name = b0;
        made->next = NULL;
        if (accept(to, made->what)) {
            %s
            goto failed;
        }
        struct rule *last = made;
        while (last->next)
            last = last->next;
        last->next = to->rules;
        to->rules = made;
        each = each->next;
    } while (each != from->rules);
    %s
    return 0;
failed:
    %s
    return -1;
}
"""
BLOCKS = 9
# Blocks that exist or not, independently of each other: more states than a budget allows.
MAKE = " ".join(f"char *b{n} = flags & {1 << n} ? malloc({n + 1}) : NULL;" for n in range(BLOCKS))
FREE = " ".join(f"free(b{n});" for n in range(BLOCKS))


def test_an_element_that_was_not_put_anywhere_yet(leaks: Leaks) -> None:
    [found] = leaks(COPY % (MAKE, "", FREE, FREE))
    assert (found.variable, found.confidence, found.doubts) == (
        "made",
        "medium",
        [Doubt.LOOSE_ELEMENT],
    )
    assert found.place.line == 32
    assert not leaks(COPY % (MAKE, "free(made);", FREE, FREE))
