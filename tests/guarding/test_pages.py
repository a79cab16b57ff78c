"""Blocks that end at a page."""

from __future__ import annotations

import pytest

from tests.conftest import Compile, Heapstory
from tests.guarding.guarding import Guard, errors, line_of
from tests.support.programs import program

SOURCE = program("guarding/pages.c")


@pytest.mark.parametrize("flags", [("-O0",), ("-O2", "-no-pie")])
@pytest.mark.parametrize(
    ("what", "kind", "returned"),
    [
        ("write", "unaddressable-write", 139),
        ("read", "unaddressable-read", 139),
        ("freed", "unaddressable-read", 139),
        ("slack", "broken-fence", 3),
        ("twice", "double-free", 3),
    ],
)
def test_named_functions(
    what: str,
    kind: str,
    returned: int,
    flags: tuple[str, ...],
    compile_program: Compile,
    guard: Guard,
) -> None:
    answer = guard(
        compile_program("guarding/pages", *flags), what, options=("--page-guard", "make")
    )
    assert answer["returned"] == returned
    (found,) = errors(answer)
    assert (found["kind"], found["place"]["line"]) == (kind, line_of(SOURCE, what))
    assert found["block"]["allocated"][0]["line"] == line_of(SOURCE, "made")


@pytest.mark.parametrize("mode", ["--light", "--thorough"])
def test_nothing_is_reported_where_nothing_is_wrong(
    mode: str, compile_program: Compile, guard: Guard
) -> None:
    built = compile_program("guarding/pages", "-O1")
    answer = guard(built, "none", options=(mode, "--page-guard", "make"))
    assert (answer["returned"], errors(answer)) == (3, [])


def test_one_block_in_many_without_a_name(compile_program: Compile, guard: Guard) -> None:
    source = """#include <stdlib.h>
int main(void) {
    for (int i = 0; i < 100000; i++) {
        volatile char *block = malloc(32);
        block[32] = 1; /* beyond */
        free((void *)block);
    }
    return 0;
}
"""
    answer = guard(compile_program(source, "-O0"), options=("--thorough",))
    assert answer["returned"] == 139
    found = {(each["kind"], each["place"]["line"]) for each in errors(answer)}
    assert ("unaddressable-write", 5) in found


def test_a_function_that_is_not_there(compile_program: Compile, heapstory: Heapstory) -> None:
    built = compile_program("guarding/pages")
    done = heapstory("guard", "--page-guard", "nothing", "--", built, "none")
    assert done.returncode == 125
    assert "nothing: no such function" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("flags", [("-O0",), ("-O2", "-no-pie")])
def test_a_named_line(flags: tuple[str, ...], compile_program: Compile, guard: Guard) -> None:
    built = compile_program("guarding/pages", *flags)
    named = f"pages.c:{line_of(SOURCE, 'made')}"
    answer = guard(built, "write", options=("--page-guard", named))
    assert answer["returned"] == 139
    assert [(each["kind"], each["place"]["line"]) for each in errors(answer)] == [
        ("unaddressable-write", line_of(SOURCE, "write"))
    ]


@pytest.mark.parametrize("flags", [("-O0",), ("-O2",)])
def test_only_the_named_line(
    flags: tuple[str, ...], compile_program: Compile, guard: Guard
) -> None:
    source = """#include <stdlib.h>
int main(int count, char **words) {
    volatile char *one = malloc(32);
    volatile char *other = malloc(32);
    (count > 1 ? one : other)[32] = 1;
    free((void *)one);
    free((void *)other);
    return 0;
}
"""
    built = compile_program(source, *flags)
    named = ("--page-guard", f"{built}.c:3")
    assert guard(built, options=named)["returned"] == 0
    assert guard(built, "word", options=named)["returned"] == 139


def test_a_line_without_a_call(compile_program: Compile, heapstory: Heapstory) -> None:
    built = compile_program("guarding/pages")
    done = heapstory("guard", "--page-guard", "pages.c:1", "--", built, "none")
    assert done.returncode == 125
    assert "pages.c:1: no such call" in done.stderr and done.stderr.count("\n") == 1
