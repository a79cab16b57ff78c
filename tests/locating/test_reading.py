"""Which nodes constraints are about: those of the structure, not all that look like it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory, Record

LIST = r"""
#include <stdlib.h>
struct node { long key; struct node *next, *prev; };
struct list { struct node *head, *tail; long size; };
struct node *make(long key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = node->prev = NULL;
    return node;
}
void push(struct list *list, struct node *node) {
    node->next = list->head;
    if (list->head)
        list->head->prev = node;
    else
        list->tail = node;
    list->head = node;
    list->size++;
}
struct node *pop(struct list *list) {
    struct node *node = list->head;
    list->head = node->next;
    if (node->next)
        node->next->prev = NULL;
    else
        list->tail = NULL;
    list->size--;
    return node;
}
"""
ROOTED = "root: node from list.head;\n"
NODE = "node { key; next*; prev^; }\n"
SPEC = NODE + "list { head^; tail^; size; }\n" + ROOTED + "inverse(next, prev); list(next);\n"


class Question:
    """A program and a specification, one trace."""

    def __init__(self, folder: Path, record: Record, command: Heapstory):
        self.folder, self.record, self.command = folder, record, command

    def __call__(self, source: str, spec: str, *flags: str) -> tuple[int, dict[str, Any]]:
        path, wanted = self.folder / "program.c", self.folder / "own.spec"
        path.write_text(source)
        wanted.write_text(spec)
        binary = self.folder / f"program{len(list(self.folder.iterdir()))}"
        subprocess.run(["gcc", "-g", "-O0", *flags, path, "-o", binary], check=True)
        trace = self.record(binary)
        done = self.command("locate", trace, "--spec", wanted, "--json")
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)


@pytest.fixture
def ask(tmp_path: Path, record: Record, heapstory: Heapstory) -> Question:
    return Question(tmp_path, record, heapstory)


def violated(answer: dict[str, Any]) -> set[str]:
    return {found["constraint"] for found in answer["inconsistencies"]}


MAIN = r"""
int main(void) {
    struct list *list = calloc(1, sizeof *list), *other = calloc(1, sizeof *other);
    struct node *kept[3];
    for (long i = 0; i < 9; i++)
        push(list, make(i));
    for (int i = 0; i < 3; i++)
        kept[i] = pop(list);
    push(other, kept[0]);
    free(kept[1]);
    STATEMENT
    return 0;
}
"""


def test_a_node_may_be_made_and_taken_out(ask: Question) -> None:
    """It is not linked when its maker returns; popped nodes are linked elsewhere or freed later."""
    status, answer = ask(LIST + MAIN.replace("STATEMENT", "free(kept[2]);"), SPEC)
    assert status == 0, violated(answer)
    assert "roots lead to" in answer["reading"]
    status, answer = ask(LIST + MAIN.replace("STATEMENT", ""), SPEC)
    assert status == 1, "nobody has the third one any more"
    assert violated(answer) == {"rooted(node)"}


def test_what_a_new_node_leads_to_is_lost_all_the_same(ask: Question) -> None:
    """The head is set to NULL instead of the new node, which leads to all others."""
    good = "list->head = node;\n    list->size++"
    wrong = LIST.replace(good, "list->head = node->key == 7 ? NULL : node;\n    list->size++")
    main = """
    int main(void) {
        struct list *list = calloc(1, sizeof *list);
        for (long i = 0; i < 9; i++)
            push(list, make(i));
        return 0;
    }
    """
    assert wrong != LIST
    spec = NODE.replace("prev^;", "") + "list { head^; }\n" + ROOTED
    status, answer = ask(wrong + main, spec)
    assert status == 1
    assert violated(answer) == {"rooted(node)"}
    assert answer["bad"]["function"] == "push"


def test_strictly_every_node_is_reachable(ask: Question) -> None:
    source = LIST + MAIN.replace("STATEMENT", "free(kept[2]);")
    status, answer = ask(source, SPEC + "node X; strictly: rooted(X);")
    assert status == 1
    assert violated(answer) == {"strictly"}
    assert answer["bad"]["function"] == "make"


def test_reachable_from(ask: Question) -> None:
    """Only of the nodes in lists is anything asked; the others have a negative key."""
    main = MAIN.replace("STATEMENT", "struct node *own = make(-1); own->next = own; own->key = -2;")
    guard = "node X; list L; X reachable from L.head => X.key >= 0 and X.next != X;"
    status, answer = ask(LIST + main, NODE + "list { head^; size; }\n" + guard)
    assert status == 0, violated(answer)
    status, answer = ask(LIST + main + "", NODE + "node X; X.key >= 0;")
    assert status == 1
    assert "all node nodes" in answer["reading"]


def test_only_the_table_of_its_owner_holds_roots(ask: Question) -> None:
    """A node is lost though some array of pointers still has it."""
    source = r"""
    #include <stdlib.h>
    struct node { long key; struct node *next; };
    struct table { struct node **chain; long size; };
    struct node **found;
    void put(struct table *table, long key) {
        struct node *node = malloc(sizeof *node), **chain = &table->chain[key % table->size];
        node->key = key;
        node->next = *chain;
        *chain = node;
    }
    void drop(struct table *table, long key) { table->chain[key % table->size] = NULL; }
    int main(void) {
        struct table *table = malloc(sizeof *table);
        table->size = 4;
        table->chain = calloc(4, sizeof *table->chain);
        for (long key = 0; key < 8; key++)
            put(table, key);
        found = malloc(4 * sizeof *found);
        found[0] = table->chain[1];
        found[1] = found[2] = found[3] = NULL;
        drop(table, 1);
        return 0;
    }
    """
    spec = "node { key; next*; }\ntable { size; }\nroot: node from table.chain;\nlist(next);\n"
    status, answer = ask(source, spec)
    assert status == 1
    assert violated(answer) == {"rooted(node)"}
    assert [place["function"] for place in answer["statements"]] == ["drop"]


def test_a_pointer_of_a_linked_node_is_written(ask: Question) -> None:
    forgotten = LIST.replace("node->next = node->prev = NULL;", "node->next = NULL;")
    main = MAIN.replace("STATEMENT", "free(kept[2]);")
    status, answer = ask(forgotten + main, NODE + "list { head^; }\n" + ROOTED)
    assert status == 1
    assert violated(answer) == {"written(node.prev)"}
    assert answer["bad"]["function"] == "push", "before it is linked nothing is asked"


def test_lists_of_a_declared_record(ask: Question) -> None:
    spec = NODE + "list { head^; tail^; size; }\ndlist(next, prev, list.head, list.tail);\n"
    status, answer = ask(LIST + MAIN.replace("STATEMENT", "free(kept[2]);"), spec)
    assert status == 0, violated(answer)
    wrong = LIST.replace("        list->tail = NULL;", "        (void)list;")
    loop = "while (list->head) free(pop(list)); free(kept[2]);"
    status, answer = ask(wrong + MAIN.replace("STATEMENT", loop), spec)
    assert status == 1
    assert "node.dlist.no_first" in violated(answer)


def test_one_element_of_an_array_of_links(ask: Question) -> None:
    source = r"""
    #include <stdlib.h>
    struct node { long key; struct node *next[2]; };
    struct node *head;
    void push(long key) {
        struct node *node = calloc(1, sizeof *node);
        node->key = key;
        node->next[0] = head;
        node->next[1] = node;
        head = node;
    }
    int main(void) {
        for (long key = 0; key < 5; key++)
            push(key);
        return 0;
    }
    """
    types = "node { key; next[2]*; }\nnode X, Y;\n"
    status, answer = ask(source, types + "X -[next[0]]->> Y => X.key > Y.key;")
    assert status == 0, violated(answer)
    status, answer = ask(source, types + "above: X -[next[1]]->> Y => X.key > Y.key;")
    assert status == 1
    assert violated(answer) == {"above"}


def test_an_element_of_an_array_of_structures_is_a_node(ask: Question) -> None:
    source = r"""
    #include <stdlib.h>
    struct entry { long key; struct entry *next; };
    struct table { struct entry *entries; long size; };
    struct table *table;
    void make(long size, long odd) {
        table = malloc(sizeof *table);
        table->size = size;
        table->entries = calloc(size, sizeof *table->entries);
        for (long i = 0; i + 1 < size; i++)
            table->entries[i].next = &table->entries[i == odd ? 0 : i + 1];
    }
    int main(void) {
        make(6, ODD);
        return 0;
    }
    """
    spec = (
        "entry { key; next*; }\ntable { entries^; size; }\ntable T;\n"
        "each: for I in 0 to T.size - 2, T.entries[I] -> T.entries[I + 1];\n"
    )
    status, answer = ask(source, spec, "-DODD=9")
    assert status == 0, violated(answer)
    status, answer = ask(source, spec, "-DODD=3")
    assert status == 1
    assert [found["bindings"]["I"] for found in answer["inconsistencies"]] == [3]


THREADS = r"""
#include <pthread.h>
#include <sched.h>
void add(struct list *list, long key) {
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->prev = NULL;
    node->next = list->head;
    list->size++;
    sched_yield();
    if (list->head)
        list->head->prev = node;
    else
        list->tail = node;
    sched_yield();
    list->head = node;
    if (key == WRONG)
        list->size++;
}
void *work(void *list) {
    for (long key = 0; key < 40; key++)
        add(list, key);
    return NULL;
}
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, calloc(1, sizeof(struct list)));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""


def test_threads_with_a_list_each(ask: Question) -> None:
    """What one is in the middle of does not accuse another; what it leaves wrong is found."""
    spec = SPEC + "list L; counted: L.size == COUNT(L.head, *);"
    status, answer = ask(LIST + THREADS, spec, "-DWRONG=-1", "-pthread")
    assert status == 0, violated(answer)
    assert sum(point["function"] == "add" for point in answer["cpoints"]) == 160
    status, answer = ask(LIST + THREADS, spec, "-DWRONG=20", "-pthread")
    assert status == 1
    assert "counted" in violated(answer)
    assert answer["bad"]["function"] == "add"


HEAD_IN_RECORD = r"""
#include <stdlib.h>
struct entry { int key; struct entry *chain, *next, *prev; };
struct cache { struct entry *first; struct entry ring; };
struct cache *cache;
static struct cache *new_cache(void) {
    struct cache *made = calloc(1, sizeof *made);
    made->ring.next = made->ring.prev = &made->ring;
    return made;
}
static void add(struct cache *to, int key) {
    struct entry *entry = malloc(sizeof *entry);
    entry->key = key;
    entry->chain = to->first;
    entry->next = &to->ring;
    entry->prev = to->ring.prev;
    entry->prev->next = to->ring.prev = entry;
    to->first = entry;
}
int main(int argc, char **argv) {
    cache = new_cache();
    for (int i = 0; i < 5; i++)
        add(cache, i);
    if (argc > 1)
        cache->first = NULL;
    return 0;
}
"""

RING_SPEC = """
cache { first*; ring.next* : entry; }
entry in * { key; chain*?; next^?; prev^?; }
root: entry from cache.first;
list(chain);
"""


def test_the_head_of_a_ring_in_a_record_is_not_lost(
    compile_program: Compile, record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    built = compile_program(HEAD_IN_RECORD, "-O0")
    spec = tmp_path / "ring.spec"
    spec.write_text(RING_SPEC)
    done = heapstory("locate", record(built), "--spec", spec)
    assert done.returncode == 0, done.stdout
    done = heapstory("locate", record(built, "lose"), "--spec", spec)
    assert done.returncode == 1 and "rooted(entry)" in done.stdout


def test_a_variable_named_like_the_structure(
    compile_program: Compile, record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    spec = tmp_path / "ring.spec"
    spec.write_text("entry in cache.ring { next^; prev^; }")
    trace = record(compile_program(HEAD_IN_RECORD, "-O0"))
    done = heapstory("locate", trace, "--spec", spec, "--json")
    assert json.loads(done.stdout)["types"] == {"entry": 1}
