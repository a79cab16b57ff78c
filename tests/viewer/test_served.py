"""The page from a server on this machine shows what the file shows."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import heapstory as api
from tests.conftest import COMMAND
from tests.viewer.conftest import Recorded, View
from tests.viewer.opened import opened
from tests.viewer.test_tasks import line_of
from tests.viewing.reading import Columns

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Response


@contextmanager
def served(trace: Path) -> Iterator[str]:
    """The address of a server that ends with the test."""
    command = [COMMAND, "view", trace, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def test_both_show_the_same(browser: Browser, recorded: Recorded, view: View) -> None:
    trace = recorded("viewer/avl")
    with opened(browser, view(trace).as_uri()) as shown:
        from_file = shown.scene()
    with served(trace) as address, opened(browser, address) as shown:
        assert shown.scene() == from_file
        shown.press("/")
        shown.type("struct node")
        shown.press("Enter")
        assert shown.page.query_selector("#graph [data-node][data-selected]")
        assert "fields at" in shown.page.inner_text("#panel")
        assert shown.page.locator(".line").count() > 50  # the source came by request


def test_what_a_line_changed_and_who_points_come_from_all_of_the_trace(
    browser: Browser, recorded: Recorded
) -> None:
    trace = recorded("viewer/avl")
    with api.open(trace) as story:
        path, line = story.query(
            "SELECT path, line FROM events JOIN sites USING (site) WHERE path LIKE '%avl.c' "
            "AND NOT silent GROUP BY path, line ORDER BY count(*) DESC LIMIT 1"
        )[0]
        made = story.query(
            f"SELECT DISTINCT timestamp FROM events JOIN sites USING (site) "
            f"WHERE path = '{path}' AND line = {line} AND NOT silent ORDER BY 1"
        )
        node = story.query(
            "SELECT max(target) FROM edges WHERE until IS NULL AND state = 'live' "
            "AND target IN (SELECT node FROM nodes WHERE kind = 'heap')"
        )[0][0]
        holders = {(edge.source, edge.offset) for edge in story.incoming(node)}
    asked: list[str] = []
    with served(trace) as address, opened(browser, f"{address}#n={node}") as shown:
        shown.page.on("request", lambda request: asked.append(request.url))
        assert shown.page.locator(".incoming li").count() == len(holders)
        shown.click(f'.line[data-line="{line}"]')
        listed = shown.page.locator(".line-changes li b").all_inner_texts()
        assert [int(text) for text in listed] == [row[0] for row in made][: len(listed)]
        assert any("/changes?" in url for url in asked)


WIDE = """#include <stdlib.h>
struct item { long value; };
struct table { long used; struct item *slots[3000]; };
struct table *table;
int main(void) {
    table = calloc(1, sizeof *table);
    for (int i = 0; i < 3000; i++) {
        struct item *item = malloc(sizeof *item);
        item->value = i;
        table->slots[i] = item;
        table->used++;
    }
    free(table->slots[2000]);
    table->used--;
    return 0;
}
"""
MOST_FIELDS = 600  # that a window of it may have
FOLDED = """node => {
  const fold = document.querySelector(`#graph .fold[data-fold="${node}"]`);
  return fold && Number(fold.textContent.replace(/[^0-9]/g, ""));
}"""


def test_a_wide_node_is_folded_before_it_is_sent(browser: Browser, recorded: Recorded) -> None:
    trace = recorded(WIDE)
    with api.open(trace) as story:
        ((wide,),) = story.query("SELECT node FROM nodes WHERE type = 'struct table'")
        items = [row[0] for row in story.query("SELECT node FROM nodes WHERE type = 'struct item'")]
    far = items[2500]
    fields: list[int] = []

    def look(response: Response) -> None:
        if "/window?" in response.url:
            fields.append(Columns(response.body()).header["tables"]["fields"]["rows"])

    with served(trace) as address, opened(browser, address) as shown:
        page = shown.page
        page.on("response", look)
        page.reload()
        shown.settle()
        drawn = len(set(shown.there()) & set(items))
        # All that are not drawn, the freed one included: they need not be sent for that.
        assert page.evaluate(FOLDED, wide) == len(items) - drawn
        assert "~" in (page.text_content(f'#graph .fold[data-fold="{wide}"]') or "")
        # The pointer to freed memory is in sight, far out as it is.
        assert "dangling" in [row["state"] for row in shown.there()[wide]["rows"]]
        page.dispatch_event(f'#graph .fold[data-fold="{wide}"]', "click")
        shown.settle()
        assert page.evaluate(FOLDED, wide) < len(items) - drawn
        assert len(set(shown.there()) & set(items)) > drawn
        # A node that was not sent, and the word that leads to it.
        page.keyboard.press("/")
        page.keyboard.type(str(far))
        shown.press("Enter")  # waits for the answer to all that was typed
        assert page.query_selector(f'#graph [data-node="{far}"][data-selected]')
        assert "2,500" in page.inner_text("#fields").replace("2500", "2,500")
        assert wide in shown.there()
    assert fields and max(fields) < MOST_FIELDS < len(items)


RARE = """#include <stdlib.h>
struct item { long value; struct item *next; };
struct item *rare, *often;
static void touch(struct item *item, long value) {
    item->value = value;
}
int main(void) {
    rare = malloc(sizeof *rare);
    often = malloc(sizeof *often);
    touch(rare, 1);
    for (long i = 0; i < 1500000; i++) often->value = i;
    touch(rare, 2);
    for (long i = 0; i < 700000; i++) often->value = i;
    touch(rare, 3);
    return 0;
}
"""


def test_what_is_far_away_in_time_is_found(browser: Browser, recorded: Recorded) -> None:
    trace = recorded(RARE)
    with api.open(trace) as story:
        ((rare,),) = story.query(
            "SELECT DISTINCT target FROM edges WHERE target IS NOT NULL "
            "AND node = (SELECT node FROM nodes WHERE name = 'rare')"
        )
        rows = story.query(
            f"SELECT DISTINCT timestamp FROM events WHERE size = 8 AND address = "
            f"(SELECT address FROM nodes WHERE node = {rare}) ORDER BY 1"
        )
    first, second, third = (row[0] for row in rows)
    line = line_of(RARE, "item->value = value")
    with served(trace) as address, opened(browser, f"{address}#t={third}&n={rare}&o=0") as shown:
        assert shown.press("p") == second
        assert shown.there()[rare]["rows"][0]["value"] == "2"
        assert shown.press("p") == first
        assert shown.there()[rare]["rows"][0]["value"] == "1"
        assert shown.press("n") == second
        assert shown.press("n") == third
        shown.click(f'.line[data-line="{line}"]')
        assert [shown.press(key) for key in "[[]"] == [second, first, second]
    # The moment of an address is shown from the start, wherever it is.
    with served(trace) as address, opened(browser, f"{address}#t={first}") as shown:
        assert shown.there()[rare]["rows"][0]["value"] == "1"


EARLY = """#include <stdlib.h>
struct old { long value; struct old *next; };
struct item { long value; };
struct old *first;
struct item *often;
int main(void) {
    first = malloc(sizeof *first);
    first->next = malloc(sizeof *first);
    first->next->value = 77;
    free(first->next);
    free(first);
    first = NULL;
    often = malloc(sizeof *often);
    for (long i = 0; i < 1500000; i++) often->value = i;
    return 0;
}
"""


def test_a_type_whose_nodes_are_long_dead_is_told_and_drawn_when_they_lived(
    browser: Browser, recorded: Recorded
) -> None:
    trace = recorded(EARLY)
    with api.open(trace) as story:
        old = [n for (n,) in story.query("SELECT node FROM nodes WHERE type = 'struct old'")]
        ((lived,),) = story.query("SELECT min(freed) - 1 FROM nodes WHERE type = 'struct old'")
        last = story.last
    assert len(old) == 2
    with served(trace) as address, opened(browser, f"{address}#t={last}") as shown:
        page = shown.page
        shown.follow(f"t={last}&type=struct+old")
        assert "no node of struct old" in page.inner_text("[role=alert]")
        # The browser itself logs that the server refused; nothing else may be wrong.
        (refused,) = shown.wrong
        assert "400" in refused
        shown.wrong.clear()
        assert not set(old) & set(shown.there())
        shown.follow(f"t={lived}&type=struct+old")
        assert shown.moment() == lived
        assert set(shown.there()) >= set(old)


def test_a_node_that_was_not_sent_is_selected_with_its_history(
    browser: Browser, recorded: Recorded
) -> None:
    trace = recorded(EARLY)
    with api.open(trace) as story:
        first, second = (
            n for (n,) in story.query("SELECT node FROM nodes WHERE type = 'struct old' ORDER BY 1")
        )
        ((lived,),) = story.query("SELECT min(freed) - 1 FROM nodes WHERE type = 'struct old'")
        last = story.last
    with served(trace) as address, opened(browser, f"{address}#t={last}") as shown:
        page = shown.page
        assert not {first, second} & set(shown.there())
        shown.follow(f"t={lived}&n={second}&o=0")
        assert page.query_selector(f'#graph [data-node="{second}"][data-selected]')
        assert shown.moment() == lived
        assert shown.there()[second]["rows"][0]["value"] == "77"
        assert "77" in page.inner_text("#history")
