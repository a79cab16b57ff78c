"""Programs and places that are not what a checker would wish for: one line, and no abort."""

from __future__ import annotations

from pathlib import Path

from tests.checking.checking import Check
from tests.conftest import Compile, Heapstory

OWN_MALLOC = """\
#include <stddef.h>
#include <string.h>

static char memory[1 << 20];
static size_t used;

void *malloc(size_t n) {
    void *block = memory + used;
    used += (n + 31) & ~(size_t)15;
    return block;
}

void free(void *block) {
    (void)block;
}

void *calloc(size_t n, size_t size) {
    return memset(malloc(n * size), 0, n * size);
}

int main(void) {
    volatile char *p = malloc(10);
    p[10] = 1; /* wrong */
    free((void *)p);
    return p[0] & 0; /* wrong, too */
}
"""


def test_a_malloc_of_the_program_itself_is_replaced(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program(OWN_MALLOC, "-fno-builtin"))
    assert [error["place"]["line"] for error in answer["errors"]] == [23, 25]
    assert answer["returned"] == 0


def test_a_hidden_malloc_is_said_to_be_unseen(compile_program: Compile, check: Check) -> None:
    text = OWN_MALLOC
    for name in ("malloc", "free", "calloc"):
        text = text.replace(f"*{name}(size", f"*my_{name}(size").replace(
            f" {name}(", f" my_{name}("
        )
    answer = check(compile_program(text.replace("memset(malloc", "memset(my_malloc")))
    assert any("no allocation was seen" in text for text in answer["summary"]["not_checked"])


def test_a_32_bit_program(heapstory: Heapstory, tmp_path: Path) -> None:
    program = tmp_path / "old"
    head = bytearray(Path("/bin/true").read_bytes()[:4096])
    head[4] = 1  # ELFCLASS32
    program.write_bytes(head)
    program.chmod(0o755)
    done = heapstory("check", "--", program)
    assert (done.returncode, done.stderr.count("\n")) == (126, 1)
    assert "32-bit" in done.stderr


def test_a_setuid_program(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> None:
    program = tmp_path / "mighty"
    program.write_bytes(compile_program("checking/errors").read_bytes())
    program.chmod(0o4755)
    done = heapstory("check", "--", program)
    assert (done.returncode, "setuid" in done.stderr) == (126, True)


def test_a_report_that_cannot_be_written(compile_program: Compile, heapstory: Heapstory) -> None:
    built = compile_program("checking/errors")
    for option in ("--json", "--write-baseline"):  # all others are written as --json is
        done = heapstory("check", option, "/nowhere/at/all", "--", built, "overrun")
        assert done.returncode == 125
        assert "unaddressable-write" in done.stderr  # the report so far stands
        assert "/nowhere/at/all" in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr
