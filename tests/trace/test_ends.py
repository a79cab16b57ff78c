"""Where a program ended, what a section holds, and what is left of a trace that was cut off."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import heapstory as library
from tests.conftest import Compile, Heapstory, Record

CRASH = """#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char text[40]; };
struct node *head;
static int length(struct node *node) {
    char copy[64];
    strcpy(copy, "something that is done by the C library");
    memcpy(node->text, copy, 40);
    return
        node->next->text[0]; /* here */
}
int main(void) {
    head = calloc(1, sizeof *head);
    return length(head);
}
"""


@pytest.mark.parametrize("flags", [("-O0",), ("-O2",)])
def test_the_place_of_a_crash(
    compile_program: Compile, record: Record, heapstory: Heapstory, flags: tuple[str, ...]
) -> None:
    trace = record(compile_program(CRASH, *flags), status=139)
    line = next(n for n, text in enumerate(CRASH.splitlines(), 1) if "here" in text)
    info = json.loads(heapstory("info", trace, "--json").stdout)
    assert (info["exit"]["signal"], info["exit"]["place"]["line"]) == (11, line)
    assert f"signal 11 (SIGSEGV) at program.c:{line} in " in heapstory("info", trace).stdout
    with library.open(trace) as opened:
        ((name, place),) = opened.query(
            "SELECT name, place(site) FROM cpoints WHERE kind = 'crash'"
        )
    assert (name, place) == ("SIGSEGV", f"program.c:{line}")


def test_the_place_of_an_abort(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    program = compile_program(
        "#include <stdlib.h>\n#include <string.h>\nchar *text;\n"
        'int main(void) {\n    text = strdup("x");\n    free(text);\n    abort();\n}\n'
    )
    trace = record(program, status=134)
    assert "signal 6 (SIGABRT) at program.c:7 in main" in heapstory("info", trace).stdout


@pytest.mark.parametrize("mode", ["alloc", "portable", "internals"])
def test_as_many_changes_as_were_asked_for(
    compile_program: Compile, record: Record, mode: str
) -> None:
    program = compile_program(
        "#include <stdlib.h>\n#include <string.h>\nstruct pair { long a, b; } *p[40];\n"
        "int main(void) {\n    for (int i = 0; i < 40; i++) {\n"
        "        p[i] = malloc(4000 + 16 * i);\n        p[i]->a = i;\n        p[i]->b = 1;\n"
        "        memset(p[i] + 1, i + 1, 300);\n        p[i] = realloc(p[i], 90000 + i);\n"
        "    }\n    return 0;\n}\n",
        "-O2",
    )
    for changes in (1, 5, 2100, 2103):
        options = ("--mode", mode, "--for", str(changes))
        with library.open(record(program, options=options)) as trace:
            assert trace.last == changes


def test_types_in_a_trace_that_was_cut_off(
    compile_program: Compile, record: Record, tmp_path: Path
) -> None:
    program = compile_program(
        "#include <stdlib.h>\nstruct node { struct node *next; long value; } *head;\n"
        "int main(void) {\n    for (int i = 0; i < 30; i++) {\n"
        "        struct node *new = malloc(sizeof *new);\n"
        "        new->next = head;\n        head = new;\n"
        "        for (int k = 0; k < 20000; k++)\n            new->value = k;\n"
        "    }\n    return 0;\n}\n"
    )
    whole = record(program)
    cut = tmp_path / "cut.story"
    shutil.copytree(whole, cut)
    chunks = cut / "chunks"
    chunks.write_bytes(chunks.read_bytes()[: chunks.stat().st_size * 2 // 3])
    with library.open(cut) as trace:
        assert not trace.complete
        nodes = [node for node in trace.graph().nodes if node.kind == "heap" and node.size == 16]
        types = {node.type for node in nodes}
        assert types == {"struct node"}
