"""Specifications bound to real traces: debug information, allocation sites, and neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import heapstory
from heapstory import constraints
from heapstory.constraints.compile.compiling import Compiled
from heapstory.constraints.language.reading import parse
from heapstory.constraints.plan import Kind, Op, PlanType
from heapstory.errors import SpecificationError, UsageError
from tests.conftest import Compile, Heapstory

SOURCE = r"""
#include <stdlib.h>
#include <string.h>
#define LIMIT 12
enum colour { RED, BLACK = 5 };
struct list_head { struct list_head *next, *prev; };
struct item { int value; char name[8]; struct list_head link; enum colour colour; unsigned flag : 3;
              char *text; };
struct node { int key; struct node *kids[3]; struct { short a, b; } in; };
typedef struct { int n; struct node *root; } tree;
struct flexible { int n; struct node *kids[]; };
struct slot { long key; struct node *node; };
struct table { struct slot slots[4]; struct node **chain; double weight; };
static struct list_head head = {&head, &head};
struct node *global_root;
struct node *globals[4];

static struct node *make(int key) {
    struct node *node = calloc(1, sizeof *node);
    node->key = key;
    return node;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        struct item *item = malloc(sizeof *item);
        memset(item, 0, sizeof *item);
        item->value = i;
        strcpy(item->name, "ab");
        item->text = strdup("hello");
        item->colour = i ? BLACK : RED;
        item->link.next = head.next;
        item->link.prev = &head;
        head.next->prev = &item->link;
        head.next = &item->link;
    }
    global_root = make(1);
    global_root->kids[0] = make(2);
    globals[2] = make(LIMIT);
    struct node *pool = calloc(4, sizeof *pool);
    pool[0].kids[1] = &pool[2];
    tree *t = malloc(sizeof *t);
    t->n = 1;
    t->root = make(7);
    struct flexible *f = calloc(1, sizeof *f + 4 * sizeof(void *));
    f->n = 4;
    f->kids[3] = make(9);
    struct table *table = calloc(1, sizeof *table);
    table->slots[1].node = make(3);
    table->chain = calloc(8, sizeof *table->chain);
    table->chain[5] = make(4);
    double **rows = malloc(3 * sizeof *rows);
    for (int i = 0; i < 3; i++)
        rows[i] = calloc(4, sizeof **rows);
    return 0;
}
"""
STRIPPED = r"""
#include <stdlib.h>
struct pair { long key; struct pair *next; long unused; };
int main(void) {
    struct pair *last = NULL;
    for (int i = 0; i < 4; i++) {
        struct pair *pair = malloc(sizeof *pair);
        pair->key = i;
        pair->next = last;
        last = pair;
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("binding")


def recorded(
    folder: Path, compile_program: Compile, heapstory: Heapstory, source: str, *flags: str
) -> Path:
    program = compile_program(source, *flags)
    trace = folder / f"{abs(hash((source, flags)))}.story"
    done = heapstory("record", "--force", "-o", trace, "--", program)
    assert done.returncode == 0, done.stderr
    return trace


@pytest.fixture(scope="module")
def trace(
    folder: Path, compile_program: Compile, heapstory: Heapstory
) -> Iterator[heapstory.Trace]:  # type: ignore[valid-type]
    with opened(recorded(folder, compile_program, heapstory, SOURCE)) as trace:
        yield trace


def opened(path: Path) -> heapstory.Trace:
    return heapstory.open(path)


def compiled(trace: heapstory.Trace, text: str, **sites: str) -> Compiled:
    return constraints.compile_for(parse(text, "test.spec"), trace, sites)


def violated(trace: heapstory.Trace, text: str, **sites: str) -> dict[str, int]:
    """How many inconsistencies each constraint has at the end of the run."""

    from heapstory import _core

    plan = compiled(trace, text, **sites).plan
    structure = _core.Structure(trace.core, plan)
    found: dict[str, int] = {}
    for one in structure.check(trace.last):
        name = plan.constraints[one.constraint].name
        found[name] = found.get(name, 0) + 1
    return found


def type_named(result: Compiled, name: str) -> PlanType:
    return next(kind for kind in result.plan.types if kind.name == name)


def test_fields_by_name_with_their_offsets(trace: heapstory.Trace) -> None:
    result = compiled(trace, "node { key; kids*; }\nnode X; X.key == 1 and X.in.b == 0;")
    node = type_named(result, "node")
    assert node.size == 40
    assert {(f.name, f.offset, f.size, f.kind) for f in node.fields} == {
        ("key", 0, 4, Kind.INT),
        ("in.b", 34, 2, Kind.INT),
    }
    (run,) = node.runs
    assert (run.field.offset, run.stride, run.count, run.field.counted) == (8, 8, 3, True)


def test_numbered_fields_are_the_flattened_scalars(trace: heapstory.Trace) -> None:
    result = compiled(
        trace, "node FIELD 6 EDGE 3;\nnode X; X[1] == 1 and X[3] == NULL and X[6] == 0;"
    )
    left, second, third = (part.body.args[0] for part in result.plan.constraints[:3])
    assert (left.op, left.index) == (Op.FIELD, 0)
    assert (second.op, second.args[1].number) == (Op.INDEX, 1)
    node = type_named(result, "node")
    assert node.fields[third.index].name == "in.b"
    assert result.warnings == ()


def test_counts_that_differ_from_the_debug_information_are_told(trace: heapstory.Trace) -> None:
    (warning,) = compiled(trace, "node FIELD 4 EDGE 3;").warnings
    assert "node has 6 fields, 3 of them pointers" in warning.message


def _conjuncts(expr: object) -> list[object]:
    from heapstory.constraints.plan.expressions import conjuncts

    return list(conjuncts(expr))  # type: ignore[arg-type]


def test_values_in_a_trace(trace: heapstory.Trace) -> None:
    items = "item X;"
    assert violated(trace, f"{items} a: X.value <= 1;") == {"a": 1}
    assert violated(trace, f"{items} a: X.colour == BLACK;") == {"a": 1}
    assert violated(trace, f'{items} a: X.name == "ab" and X.text == "hello";') == {}
    assert violated(trace, f'{items} a: X.text == "hell"; b: LEN(X.text) == 4;') == {"a": 3, "b": 3}
    assert violated(trace, f"{items} a: X.flag == 0; b: X.name[1] == 'b';") == {}
    assert violated(trace, f"{items} a: HASH(X.name) == 5863208;") == {}


def test_nodes_by_type_pools_included(trace: heapstory.Trace) -> None:
    spec = "node { key; kids*; }\nnode X;"
    assert violated(trace, f"{spec} a: X.key == -1;") == {"a": 11}
    assert violated(trace, f"{spec} a: X.OUTDEGREE == 0;") == {"a": 2}
    assert violated(trace, f"{spec} a: X.key != LIMIT;") == {"a": 1}


@pytest.mark.parametrize(
    ("sources", "lost"),
    [
        (["global_root"], 9),
        (["global_root", "globals"], 8),
        (["tree.root"], 10),
        (["table.chain"], 10),
        (["table.slots.node"], 10),
        (["flexible.kids"], 10),
    ],
)
def test_roots(trace: heapstory.Trace, sources: list[str], lost: int) -> None:
    spec = f"node {{ key; kids*; }}\nroot: node from {', '.join(sources)};\nnode X;"
    assert violated(trace, f"{spec} a: rooted(X) or X.key == -1;")["a"] == lost


def test_embedded_structures(trace: heapstory.Trace) -> None:
    inside = "list_head in item.link { next*; prev^; }\nlist_head X; a: X.next == NULL;"
    everywhere = inside.replace("item.link", "*")
    assert violated(trace, inside)["a"] == 3
    assert violated(trace, everywhere)["a"] == 4
    result = compiled(trace, everywhere)
    assert {m.base for m in type_named(result, "list_head").members} == {0, 16}
    assert violated(trace, "list_head in * { next*; prev^; }\ninverse(next, prev);") == {}
    assert violated(trace, "list_head in * { next*; prev^; }\ncircular(next);") == {}


def test_arrays(trace: heapstory.Trace) -> None:
    flexible = "flexible { n; kids*; }\nnode { key; }\nflexible F;"
    assert violated(trace, f"{flexible} a: F.OUTDEGREE == 1 and LEN(F.kids) == F.n;") == {}
    assert violated(trace, f"{flexible} for I in 0 to 2, F.kids[I] == NULL;") == {}
    assert violated(trace, f"{flexible} a: F.kids[3].key == 9 and F.kids[3].kids[0] == NULL;") == {}
    table = "table T;"
    assert (
        violated(trace, f"{table} a: T.slots[1].node.key == 3 and T.slots[2].node == NULL;") == {}
    )
    assert violated(trace, f"{table} a: T.chain[5].key == 4 and LEN(T.chain) == 8;") == {}
    assert violated(trace, f"{table} for I in 0 to 4, T.chain[I] == NULL;") == {}
    assert violated(trace, f"{table} a: T.weight == 0.0;") == {}
    plane = 'ARRAY plane is "double *";\nARRAY row is "double";\nplane P;'
    assert violated(trace, f"{plane} a: P.OUTDEGREE == LEN(P); row R; b: LEN(R) == 4;") == {}
    assert violated(trace, f"{plane} for I in 1 to 3, P[I][4] == 0;") == {}


def test_a_misspelt_type_or_field_is_put_right(trace: heapstory.Trace) -> None:
    with pytest.raises(SpecificationError, match="did you mean 'node'"):
        compiled(trace, "nodes { key; }")
    with pytest.raises(SpecificationError, match="did you mean 'kids'"):
        compiled(trace, "node { key; kidz*; }")
    with pytest.raises(SpecificationError, match="is not a pointer"):
        compiled(trace, "node { key*; }")


def test_types_by_allocation_site(trace: heapstory.Trace) -> None:
    line = next(
        i for i, text in enumerate(SOURCE.splitlines(), 1) if "calloc(1, sizeof *node)" in text
    )
    spec = "thing { key; }\nthing X; a: X.key == -1;"
    assert violated(trace, spec, thing=f"program.c:{line}") == {"a": 7}
    with pytest.raises(UsageError, match="nothing was allocated there"):
        compiled(trace, spec, thing="program.c:1")


def test_without_debug_information(
    folder: Path, compile_program: Compile, heapstory: Heapstory
) -> None:
    line = next(i for i, text in enumerate(STRIPPED.splitlines(), 1) if "malloc" in text)
    path = recorded(folder, compile_program, heapstory, STRIPPED, "-g1")
    with opened(path) as trace:
        spec = "pair FIELD 2 EDGE 1;\npair X; a: X[1] == 0 => X[2] == NULL; b: X[2] != NULL;"
        result = compiled(trace, spec, pair=f"program.c:{line}")
        assert any("no debug information" in w.message for w in result.warnings)
        assert [f.offset for f in type_named(result, "pair").fields] == [0, 8]
        assert violated(trace, spec, pair=f"program.c:{line}") == {"b": 1}
        with pytest.raises(SpecificationError, match=r"bind it .* --site pair=FILE:LINE"):
            compiled(trace, spec)
