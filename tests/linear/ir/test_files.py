"""What is compiled of a file: headers that are nowhere, projects, functions that C lets others
define again; and what ends a search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from heapstory.commands import main
from heapstory.commands.prove_source import database_above
from heapstory.linear.budget import MIB, Budget
from heapstory.linear.ir.judge import Outcome
from heapstory.linear.ir.unit import project_of
from heapstory.linear.ir.verdict import Wanted, judge_source

PROGRAMS = Path(__file__).parent / "programs"
LOCK = """
#include <atomic>
#include "nowhere/measure.h"
class Lock {
    std::atomic<bool> held{false};
  public:
    void lock() { while (held.exchange(true, std::memory_order_acquire)) {} }
    void unlock() { held.store(false, std::memory_order_release); }
};
namespace tries {
static void measured(nowhere::State &state) {
    Lock lock;
    for (auto each : state) { lock.lock(); lock.unlock(); }
}
MEASURE(measured)->Unit(nowhere::second);
}
"""


def judged(path: Path, seconds: float = 100.0, **options: object) -> Outcome:
    wanted = Wanted(str(path), calls=3, **options)  # type: ignore[arg-type]
    return judge_source(wanted, Budget(seconds))


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_what_needs_a_header_that_is_nowhere_is_left_out(tmp_path: Path) -> None:
    source = written(tmp_path / "lock.cpp", LOCK)
    right = judged(source)
    assert (right.verdict, right.reason) == ("bounded-ok", "")
    assert "nowhere/measure.h is nowhere and is taken to be empty" in right.notes
    assert any("measured (line 11), MEASURE (line 15)" in note for note in right.notes)
    loose = "held.store(false, std::memory_order_relaxed)"
    source.write_text(LOCK.replace("held.store(false, std::memory_order_release)", loose))
    assert "races with another access" in judged(source).reason
    assert judged(source).line == 7  # lines are those of the file


def test_what_operations_need_is_not_left_out(tmp_path: Path) -> None:
    source = written(tmp_path / "lock.cpp", LOCK.replace("held.exchange(", "nowhere::swap(held, "))
    assert main(["prove", "--timeout", "20", "--c", str(source)]) == 2
    other = written(tmp_path / "macro.c", '#include "nowhere.h"\nint push(int v) { PUSH(v); }\n')
    assert main(["prove", "--timeout", "20", "--c", str(other)]) == 2


def test_a_header_is_searched_for_in_the_project_that_is_checked_out(tmp_path: Path) -> None:
    """Not in another one that lies beside it."""
    text = '#include "shared.h"\n' + (PROGRAMS / "recursive_lock.c").read_text()
    source = written(tmp_path / "src" / "mine" / "lib" / "deep" / "er" / "stack.c", text)
    (tmp_path / "src" / "mine" / ".git").mkdir()
    written(tmp_path / "src" / "other" / "shared.h", "#error of another project\n")
    assert project_of(str(source)) == tmp_path / "src" / "mine"
    assert "shared.h is nowhere and is taken to be empty" in judged(source).notes
    written(tmp_path / "src" / "mine" / "include" / "shared.h", "#define FOUND\n")
    assert not any("nowhere" in note for note in judged(source).notes)


def test_the_database_of_the_project_is_used(tmp_path: Path) -> None:
    text = "#ifndef WANTED\n#error options are missing\n#endif\n"
    source = written(
        tmp_path / "src" / "stack.c", text + (PROGRAMS / "recursive_lock.c").read_text()
    )
    (tmp_path / ".git").mkdir()
    assert database_above(str(source)) is None
    entry = {
        "directory": str(tmp_path), "file": "src/stack.c",
        "arguments": ["cc", "-DWANTED", "-c", "src/stack.c"],
    }  # fmt: skip
    database = written(tmp_path / "build" / "compile_commands.json", json.dumps([entry]))
    assert database_above(str(source)) == database
    assert main(["prove", "--bound", "2", "--c", str(source)]) == 0
    source.write_text((PROGRAMS / "recursive_lock.c").read_text())
    database.write_text("[] of another tool")
    assert main(["prove", "--bound", "2", "--c", str(source)]) == 0
    assert main(["prove", "--bound", "2", "-p", str(database), "--c", str(source)]) == 2


def test_functions_that_are_only_inline(tmp_path: Path) -> None:
    """In C nothing defines them; and an array at the end of a structure has no size."""
    text = """
#include <stdatomic.h>
struct ring { atomic_uint head, tail; int slots[]; };
inline void ring_init(struct ring *r) { atomic_init(&r->head, 0); atomic_init(&r->tail, 0); }
inline int ring_write(struct ring *r, int value) {
    unsigned tail = r->tail;
    if (tail - r->head == 2) return -1;
    r->slots[tail % 2] = value;
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return 0;
}
inline int ring_read(struct ring *r) {
    unsigned head = r->head;
    if (head == r->tail) return 0;
    int value = r->slots[head % 2];
    r->head = head + 1;
    return value;
}
"""
    source = written(tmp_path / "spsc_ring.h", text)
    right = judged(source)
    assert (right.verdict, right.reason) == ("bounded-ok", "")
    source.write_text(text.replace("memory_order_release", "memory_order_relaxed"))
    assert "races with another access" in judged(source).reason


def test_a_header_that_is_defined_in_one_file(tmp_path: Path) -> None:
    """Where it says so by a macro of the usual name."""
    text = (
        (PROGRAMS / "recursive_lock.c").read_text().replace("static int is_empty", "int is_empty")
    )
    guarded = f"#ifdef MY_STACK_IMPLEMENTATION\n{text}\n#endif\n"
    outcome = judged(written(tmp_path / "my_stack.h", guarded))
    assert (outcome.verdict, outcome.reason) == ("bounded-ok", "")
    other = written(tmp_path / "other.h", guarded.replace("_IMPLEMENTATION", "_ELSEWHERE"))
    assert main(["prove", "--timeout", "20", "--c", str(other)]) == 2


def test_a_search_ends_where_memory_does(tmp_path: Path) -> None:
    source = written(tmp_path / "stack.c", (PROGRAMS / "recursive_lock.c").read_text())
    outcome = judge_source(Wanted(str(source)), Budget(100.0, memory=MIB))
    assert outcome.verdict == "unknown"
    assert "1 MiB of memory (--memory) reached with two calls already" in outcome.reason
    assert main(["prove", "--memory", "1", "--c", str(source)]) == 4
    specification = Path("examples/linear/treiber_stack.lin")
    assert main(["prove", "--memory", "1", "--bounded", str(specification)]) == 4


def test_where_there_is_no_answer_it_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "int pile_up(int v);\nint pile_push(int v) { return pile_up(v); }\n"
    source = written(tmp_path / "pile.c", text + "int pile_pop(void) { return pile_up(0); }\n")
    assert main(["prove", "--timeout", "20", "--c", str(source)]) == 4
    assert f"heapstory prove --run --c {source} executes the code" in capsys.readouterr().out
    source.write_text("int lay(int v) { return v; }\nint raise_up(void) { return 0; }\n")
    assert main(["prove", "--timeout", "20", "--c", str(source)]) == 2
    said = capsys.readouterr().err
    assert "such as --functions lay=enqueue,raise_up=dequeue; there are lay, raise_up" in said


def test_the_time_limit_holds_while_a_file_is_compiled(tmp_path: Path) -> None:
    outcome = judged(written(tmp_path / "lock.cpp", LOCK), seconds=0.0)
    assert outcome.verdict == "unknown"
    assert "reached while compiling the file" in outcome.reason
