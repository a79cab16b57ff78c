"""What is asked of a page while it still waits for something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import heapstory as api
from tests.viewer.conftest import Recorded, View
from tests.viewer.opened import opened
from tests.viewer.test_served import WIDE, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

# What is unpacked after the first block is held back until the test says so.
HELD_BACK = """
const release = new Promise(resolve => { window.release = resolve; });
const own = Response.prototype.arrayBuffer;
let count = 0;
Response.prototype.arrayBuffer = async function () {
  if (count++ > 0) await release;
  return own.call(this);
};
"""


def test_the_rest_of_a_file_may_be_wanted_twice_before_it_is_there(
    browser: Browser, recorded: Recorded, view: View
) -> None:
    trace = recorded(WIDE)
    with api.open(trace) as story:
        items = {row[0] for row in story.query("SELECT node FROM nodes WHERE type = 'struct item'")}
    with opened(browser, view(trace).as_uri()) as shown:
        page = shown.page
        page.add_init_script(HELD_BACK)
        page.reload()
        page.wait_for_selector("#graph[data-shown] .scene")  # only what is shown first is there
        assert page.get_attribute("#view", "aria-busy") == "true"
        page.focus("#search")
        page.keyboard.type(f"#{max(items)}")
        page.keyboard.press("Enter")
        page.select_option("#start", label="struct item")
        page.evaluate("release()")
        shown.settle()
        assert page.locator("[role=alert]").count() == 0
        assert shown.there() and set(shown.there()) <= items
        assert page.query_selector(f'#graph [data-node="{max(items)}"][data-selected]')


def test_what_a_server_still_counts_is_asked_for_again(
    browser: Browser, recorded: Recorded
) -> None:
    asked: list[str] = []

    def as_if_counting(route: Route) -> None:
        """The first answer is changed to one that comes too early."""
        answer = route.fetch()
        body = answer.body()
        if not asked:
            assert body.count(b'"complete": true') == 1
            body = body.replace(b'"complete": true', b'"complete":false')
        asked.append(route.request.url)
        route.fulfill(response=answer, body=body)

    with served(recorded("viewer/avl")) as address, opened(browser, address) as shown:
        shown.page.route("**/bands*", as_if_counting)
        shown.page.reload()
        shown.settle()
        assert len(asked) == 2


APART = """#include <stdlib.h>
struct item { long value; };
struct item *kept;
int main(void) {
    for (int i = 0; i < 3; i++) {
        struct item *made = malloc(sizeof *made);
        made->value = i;
        if (i == 0) kept = made;
    }
    return 0;
}
"""


def test_an_address_with_a_type_and_a_node_asks_for_both(
    browser: Browser, recorded: Recorded
) -> None:
    trace = recorded(APART)
    with api.open(trace) as story:
        nodes = [n.id for n in story.graph().nodes if n.kind == "heap" and n.size == 8]
        last = story.last
    with served(trace) as address, opened(browser, address) as shown:
        # Nothing ever led to two of them.
        assert set(nodes[1:]).isdisjoint(shown.there())
        shown.follow(f"t={last}&type=struct+item&n={nodes[2]}")
        assert set(shown.there()) == set(nodes)
        assert shown.page.query_selector(f'#graph [data-node="{nodes[2]}"][data-selected]')


LATE = """#include <stdlib.h>
struct item { long value; };
struct item *often, *kept;
int main(void) {
    struct item *made = malloc(sizeof *made);
    made->value = 77;
    often = malloc(sizeof *often);
    for (long i = 0; i < 900000; i++) often->value = i;
    kept = made;
    return 0;
}
"""


def test_a_node_of_this_window_is_there_at_a_moment_of_another(
    browser: Browser, recorded: Recorded
) -> None:
    trace = recorded(LATE)
    with api.open(trace) as story:
        made = min(n.id for n in story.graph().nodes if n.kind == "heap" and n.size == 8)
        stored = next(v.timestamp for v in story.history(node=made) if v.value == 77)
        last = story.last
    with served(trace) as address, opened(browser, f"{address}#t={last}") as shown:
        assert made in shown.there()
        shown.follow(f"t={stored}&n={made}&o=0")  # nothing of the program leads to it then
        assert shown.moment() == stored
        assert shown.there()[made]["rows"][0]["value"] == "77"


def test_a_late_answer_about_another_node_or_line_is_not_shown(
    browser: Browser, recorded: Recorded
) -> None:
    trace = recorded("viewer/avl")
    with api.open(trace) as story:
        heap = {n.id for n in story.graph().nodes if n.kind == "heap"}
        (one, other), *_ = (
            (a, b)
            for a in sorted(heap)
            for b in sorted(heap)
            if {e.source for e in story.incoming(a)} != {e.source for e in story.incoming(b)}
        )
        holders = {edge.source for edge in story.incoming(other)}
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    with served(trace) as address, opened(browser, address) as shown:
        page = shown.page
        page.route("**/pointing?*", hold_first)
        with page.expect_request("**/pointing?*"):
            page.evaluate(f"location.hash = '#n={one}'")
        with page.expect_response("**/pointing?*"):
            page.evaluate(f"location.hash = '#n={other}'")
        held[0].continue_()
        shown.settle()
        assert page.locator(".incoming li").count() == len(holders)
