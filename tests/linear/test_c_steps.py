"""The steps that come out of C: small sources with what they become beside them, every clang."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from heapstory.cfront.clang import find_clang
from heapstory.errors import UsageError
from heapstory.linear.budget import Budget
from heapstory.linear.c.extract import Extracted, extract
from heapstory.linear.program.load import parse
from heapstory.linear.states.exhaustive import Checker
from tests.linear import LONG
from tests.linear.mutants import EXAMPLES

SOURCES = sorted((Path(__file__).parent / "c").glob("*.c"))
SHIPPED = sorted((EXAMPLES / "c").glob("*.c"))
CLANGS = [f"clang-{n}" for n in range(14, 41) if shutil.which(f"clang-{n}")] or ["clang"]


@pytest.fixture(autouse=True)
def forget_clang() -> Iterator[None]:
    yield
    find_clang.cache_clear()


def chosen(monkeypatch: pytest.MonkeyPatch, clang: str) -> None:
    monkeypatch.setenv("HEAPSTORY_CLANG", clang)
    find_clang.cache_clear()


def read(path: Path) -> Extracted:
    return extract(str(path), None, None, None)


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_a_source_becomes_these_steps(
    monkeypatch: pytest.MonkeyPatch, clang: str, path: Path
) -> None:
    chosen(monkeypatch, clang)
    found = read(path)
    assert not found.reason
    assert found.text.split("\n", 1)[1] == path.with_suffix(".lin").read_text()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_every_clang_gives_the_same(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    texts = set()
    for clang in CLANGS:
        chosen(monkeypatch, clang)
        texts.add(read(path).text)
    assert len(texts) == 1 and "" not in texts


@pytest.mark.parametrize("path", [*SOURCES, *SHIPPED], ids=lambda p: p.stem)
def test_what_is_shown_reads_back_as_what_is_judged(path: Path) -> None:
    found = read(path)
    spec, again = found.spec, parse(found.text, str(path))
    assert spec is not None
    assert (spec.structs, spec.globals, spec.init_locals, spec.init, spec.operations) == (
        again.structs,
        again.globals,
        again.init_locals,
        again.init,
        again.operations,
    )


STACK = """
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; struct node *_Atomic next; char pair[8]; };
struct stack { struct node *_Atomic top; };
void push(struct stack *s, int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    %s
    atomic_store(&s->top, node);
}
int pop(struct stack *s) { return atomic_load(&s->top)->value; }
"""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("atomic_store_explicit(&s->top, node, memory_order_release);", "weaker"),
        ("atomic_thread_fence(memory_order_relaxed); exit(1);", "'exit'"),
        ("node->pair[value] = 1;", "an address that is not a field"),
        ("node->pair[3] = 1;", "not a field"),
        ("*(char *)&node->value = 1;", "a part of the field 'value'"),
        ("node = malloc(100);", "another size"),
        ("node->value = value * 3;", "'mul' is not covered"),
        ("node->value = (int)(long)node;", "used as something else"),
        ("for (;;) { struct node *t = s->top; s->top = t; value++; }", "turn by turn"),
        ("int n = 0; node->next = NULL;"
         " while (!atomic_compare_exchange_weak(&s->top, &node->next, node)) n = n + 1;"
         " node->value = n;", "depend on each other"),
        ("struct node *old = NULL, *seen = NULL;"
         " while (!atomic_compare_exchange_strong(&s->top, &old, node))"
         " { if (seen == NULL) seen = s->top; else seen = seen->next; } node->next = seen;",
         "depend on each other"),
        ("struct node *old = NULL, *last; do { if (old != NULL) node->next = last; last = s->top; }"
         " while (!atomic_compare_exchange_weak(&s->top, &old, node));", "nobody knows"),
        ("struct node *old = NULL; do { if (old != NULL && node->next == old) value = 0;"
         " node->next = old; } while (!atomic_compare_exchange_weak(&s->top, &old, node));",
         "a field that has no value"),
        ("int unset; node->value = unset;", "nobody knows"),
        ("asm volatile(\"\" : : \"r\"(node));", "not covered"),
    ],
)  # fmt: skip
def test_what_is_not_modelled_is_said(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "stack.c"
    file.write_text(STACK % line)
    found = read(file)
    assert found.spec is None
    assert words in found.reason and found.reason.startswith(f"{file}:10: ")


def test_an_initialiser_that_branches_is_not_guessed_at(tmp_path: Path) -> None:
    file = tmp_path / "stack.c"
    init = "void init(struct stack *s) { if (s->top) s->top = NULL; }"
    file.write_text(STACK % "" + init)
    assert "'init' branches" in read(file).reason


def test_recursion_is_not_followed(tmp_path: Path) -> None:
    file = tmp_path / "stack.c"
    helper = "\nstatic int f(int n) { return n ? f(n - 1) : 0; }\nvoid push("
    file.write_text((STACK % "node->value = f(3);").replace("\nvoid push(", helper))
    assert "'f' that calls itself" in read(file).reason


def test_an_error_of_the_compiler_names_its_place(tmp_path: Path) -> None:
    file = tmp_path / "stack.c"
    file.write_text(STACK % "node->missing = 1;")
    with pytest.raises(UsageError, match=r"stack\.c:10:.*no member named 'missing'"):
        read(file)


# source, operations that show it, edits
WRONG = [
    ("do_while_stack", 4,
     [("old = atomic_load(&s->top);\n    do {", "old;\n    do {\n        old = s->top;"),
      ("while (!atomic_compare_exchange_weak(&s->top, &old, node));",
       "while (0); s->top = node;")]),
    ("expected_in_node", 4,
     [("while (!atomic_compare_exchange_weak(&s->top, &node->next, node))",
       "s->top = node; if (0)")]),
    ("counter", 2,
     [("while (!atomic_compare_exchange_strong(&all.part.value, &old, old + 1))",
       "old = all.part.value; all.part.value = old + 1; if (0)")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "bound", "edits"), WRONG, ids=[w[0] for w in WRONG])
def test_the_steps_show_what_is_wrong(
    tmp_path: Path, name: str, bound: int, edits: list[tuple[str, str]]
) -> None:
    text = next(p for p in SOURCES if p.stem == name).read_text()
    assert _linearizable(tmp_path, text, 2)
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    assert not _linearizable(tmp_path, text, bound)


def _linearizable(tmp_path: Path, text: str, bound: int) -> bool:
    file = tmp_path / "source.c"
    file.write_text(text)
    spec = read(file).spec
    assert spec is not None
    search = Checker(spec).search(bound, Budget(LONG))
    assert search.complete or search.trail is not None
    return search.trail is None
