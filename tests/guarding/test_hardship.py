"""What makes it hard: no lost report, no hang, no change of what the program does."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from heapstory.errors import HeapstoryError
from heapstory.guarding import run
from heapstory.guarding.settings import MODES
from tests.conftest import Compile
from tests.guarding.guarding import Guard, errors, line_of
from tests.support.programs import ROOT, program

SOURCE = program("guarding/hardship.c")
FLAGS = ("-O1", "-pthread", "-w", f"-I{ROOT / 'src/heapstory/include'}")
ENDED = 3


@pytest.mark.parametrize("what", ["wrong", "no-memory", "sandbox"])
def test_a_finding_is_reported_all_the_same(
    what: str, compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program("guarding/hardship", *FLAGS), what)
    assert answer["returned"] == ENDED
    (found,) = errors(answer)
    assert (found["kind"], found["place"]["line"]) == ("bad-free", line_of(SOURCE, "wrong"))


@pytest.mark.parametrize("how", ["execve", "execle", "clearenv", "spawn", "vfork"])
def test_an_environment_that_was_cleared(how: str, compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/hardship", *FLAGS), "cleared", how)
    assert answer["returned"] == ENDED
    assert [found["kind"] for found in errors(answer)] == ["bad-free"]


def test_another_root(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/hardship", *FLAGS), "other-root")
    assert answer["returned"] == ENDED
    (found,) = answer["findings"]  # no leak that is none
    assert (found["kind"], found["place"]["line"]) == ("bad-free", line_of(SOURCE, "wrong"))
    assert (found["count"], answer["processes"]) == (2, 2)


def test_another_user(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/hardship", *FLAGS), "other-user")
    assert (answer["returned"], len(answer["findings"])) == (ENDED, 1)
    assert answer["findings"][0]["kind"] == "bad-free"


def test_a_child_of_another_user(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/hardship", *FLAGS), "child-of-other-user")
    (found,) = answer["findings"]
    missing = [text for text in answer["remarks"] if "could not be written" in text]
    assert found["count"] + len(missing) == 2
    assert ("guard cannot write its report" in answer["said"]) == bool(missing)


def test_libc_gives_out_what_is_in_use(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/hardship", *FLAGS), "corrupt")
    assert answer["returned"] == ENDED
    found = next(each for each in errors(answer) if each["kind"] == "corrupt-heap")
    assert found["place"]["line"] == line_of(SOURCE, "given out")
    assert found["block"]["allocated"][0]["line"] == line_of(SOURCE, "in use")


def test_a_process_that_cannot_be_copied(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/hardship", *FLAGS), "no-processes")
    assert (answer["returned"], answer["findings"]) == (ENDED, [])
    assert any("a scan was not possible" in text for text in answer["remarks"])


OUT_OF_STACK = """#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int deeper(int n) { volatile char room[4096]; room[0] = n; return deeper(n + 1) + room[0]; }
static void own(int number) {
    stack_t there;
    sigaltstack(NULL, &there);
    _exit(there.ss_flags & SS_ONSTACK ? 3 : 4);
}
int main(int count, char **words) {
    char *kept = malloc(10);
    stack_t before, stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(NULL, &before);
    if (!(before.ss_flags & SS_DISABLE)) return 5;
    struct sigaction action = {.sa_handler = own, .sa_flags = SA_ONSTACK};
    if (!strcmp(words[1], "own")) sigaltstack(&stack, NULL), sigaction(SIGSEGV, &action, NULL);
    if (!strcmp(words[1], "killed")) raise(SIGKILL);
    return deeper(kept != NULL);
}
"""


def test_a_stack_that_overflows_is_the_program_s_own(
    compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program(OUT_OF_STACK, "-O0", "-w"), "own")
    assert (answer["returned"], answer["crash"], answer["remarks"]) == (ENDED, None, [])


@pytest.mark.parametrize(("what", "ended_by"), [("overflow", signal.SIGSEGV), ("killed", None)])
def test_a_process_that_could_not_be_looked_at(
    what: str, ended_by: int | None, compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program(OUT_OF_STACK, "-O0", "-w"), what)
    assert answer["returned"] == 128 + (ended_by or signal.SIGKILL)
    assert (answer["crash"] and answer["crash"]["signal"]) == ended_by
    (said,) = answer["remarks"]
    assert "no last look" in said


def test_a_library_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "native_folder", lambda: tmp_path)
    with pytest.raises(HeapstoryError, match=r"libheapstory-guard.so is missing \(make setup\)"):
        run.guard(["true"], MODES["default"])


def test_a_library_without_settings_harms_nothing(compile_program: Compile) -> None:
    """Of guard's variables a program may pass on only the one that all know."""
    built = compile_program("guarding/hardship", *FLAGS)
    library = {"LD_PRELOAD": str(run.native_folder() / run.LIBRARY)}
    assert subprocess.run([built, "handler"], env=library).returncode == ENDED


def test_many_children_that_end_soon(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/hardship", *FLAGS), "bomb")
    assert answer["returned"] == ENDED
    (found,) = errors(answer)
    assert (found["kind"], found["count"]) == ("bad-free", 3)


def test_a_handler_that_allocates(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program("guarding/hardship", *FLAGS), "handler")
    assert (answer["returned"], errors(answer)) == (ENDED, [])


def test_a_stripped_program(compile_program: Compile, guard: Guard, tmp_path: Path) -> None:
    """What is named instead of a line leads to that line of the build before."""
    built, stripped = compile_program("guarding/hardship", "-g", *FLAGS), tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, built], check=True)
    answer = guard(stripped, "wrong")
    (found,) = errors(answer)
    place = found["place"]
    assert (found["kind"], place["line"], place["module"]) == ("bad-free", None, str(stripped))
    assert f"stripped+{place['offset']}" in answer["said"]
    words = ["addr2line", "-e", built, place["offset"]]
    named = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert named.split()[0].endswith(f"hardship.c:{line_of(SOURCE, 'wrong')}")
    assert all("offset" not in each for each in guard(built, "wrong")["findings"][0]["stack"][:1])


LEFT_BEHIND = """#include <stdlib.h>
#include <unistd.h>
int main(void) {
    if (fork())
        return 3;
    alarm(100);
    for (int i = 0; i < 3; i++)
        close(i);
    for (int changes = 0, parent = getppid(); changes < 2; usleep(1000))
        if (getppid() != parent) /* the program has ended, then the guard */
            parent = getppid(), changes++;
    return 0;
}
"""


def test_a_process_that_is_left_behind_is_said(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program(LEFT_BEHIND, "-O0"))
    assert (answer["returned"], answer["findings"]) == (ENDED, [])
    (said,) = answer["remarks"]
    assert "still runs" in said and "not reported" in said


OUT_OF_THREADS = """#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
static void *wait(void *unused) {
    void *volatile kept = malloc(100);
    for (;;)
        pause();
    return kept;
}
int main(void) {
    struct rlimit room = {300 << 20, 300 << 20};
    pthread_t thread;
    char bytes[32];
    setrlimit(RLIMIT_AS, &room);
    while (!pthread_create(&thread, NULL, wait, NULL))
        ;
    free(bytes + 16); /* wrong */
    return 3;
}
"""


def test_a_process_out_of_threads(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program(OUT_OF_THREADS, "-O0", "-w", "-pthread"))
    assert answer["returned"] == ENDED
    (found,) = errors(answer)
    assert (found["kind"], found["place"]["line"]) == ("bad-free", 18)


OUT_OF_MEMORY = """#include <stdlib.h>
#include <sys/resource.h>
int main(void) {
    struct rlimit room = {200 << 20, 200 << 20};
    setrlimit(RLIMIT_AS, &room);
    while (malloc(1000)) /* all of it is lost */
        ;
    return 3;
}
"""


def test_leaks_of_a_process_out_of_memory(compile_program: Compile, guard: Guard) -> None:
    """They are found, or the answer says that nobody looked."""
    answer = guard(compile_program(OUT_OF_MEMORY, "-O0", "-w"))
    assert answer["returned"] == ENDED
    leaks = [found for found in answer["findings"] if found["kind"] == "leak"]
    assert leaks or any("leaks were not looked for" in said for said in answer["remarks"])


CRASHES = """#include <stdlib.h>
int main(int count, char **words) {
    char ***all = malloc(4 * sizeof *all);
    for (int i = 0; i < 4; i++)
        all[i] = words;
    char *volatile first = all[count > 1 ? 4 : 0][0]; /* beyond */
    return first == NULL ? 4 : 3;
}
"""


def test_a_crash_by_a_read_beyond_a_block(compile_program: Compile, guard: Guard) -> None:
    answer = guard(compile_program(CRASHES, "-O0"), "beyond")
    assert answer["returned"] == 128 + signal.SIGSEGV
    (found,) = errors(answer)
    assert (found["kind"], found["place"]["line"]) == ("bad-pattern-at-crash", 6)
    assert "memory beyond a block was read" in found["text"]


DUMPS = """#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    struct rlimit room = {RLIM_INFINITY, RLIM_INFINITY};
    int status;
    setrlimit(RLIMIT_CORE, &room);
    if (!fork())
        **(char **)malloc(8) = 1;
    wait(&status);
    return !WIFSIGNALED(status) || WTERMSIG(status) != 11 ? 5 : WCOREDUMP(status) ? 3 : 4;
}
"""


def test_a_core_dump_is_made_if_it_would_be(
    compile_program: Compile, guard: Guard, tmp_path: Path
) -> None:
    """Wherever this machine puts core dumps, if anywhere."""
    built = compile_program(DUMPS, "-O0", "-w")
    natively = subprocess.run([built], cwd=tmp_path).returncode
    answer = guard(built, cwd=tmp_path)
    assert answer["returned"] == natively
    assert answer["crash"]["signal"] == signal.SIGSEGV


def test_a_program_that_cannot_be_loaded(
    compile_program: Compile, guard: Guard, tmp_path: Path
) -> None:
    library = tmp_path / "libgone.so"
    source = tmp_path / "gone.c"
    source.write_text("int gone(void) { return 3; }")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    built = compile_program(
        "int gone(void);\nint main(void) { return gone(); }\n",
        "-Wl,--no-as-needed",
        str(library),
        "-w",
    )
    library.unlink()
    answer = guard(built)
    assert (answer["returned"], answer["findings"]) == (127, [])
    assert any("left no report" in text for text in answer["remarks"])


LIBRARY = """#include <stdlib.h>
void *volatile kept_by_library;
void *allocate(void) { kept_by_library = malloc(321); return kept_by_library; }
"""
LOADS = """#include <dlfcn.h>
#include <stdlib.h>
static void *volatile kept;
int main(int count, char **words) {
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(words[count - 1], RTLD_NOW);
        void *(*allocate)(void) = (void *(*)(void))dlsym(library, "allocate");
        kept = allocate();
        dlclose(library);
        if (i < 2)
            free(kept);
    }
    return 3;
}
"""


def test_a_library_that_was_unloaded_has_names(
    compile_program: Compile, guard: Guard, tmp_path: Path
) -> None:
    source, library = tmp_path / "library.c", tmp_path / "library.so"
    source.write_text(LIBRARY)
    subprocess.run(["gcc", "-g", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    answer = guard(compile_program(LOADS, "-O1"), str(library))
    assert (answer["returned"], errors(answer)) == (ENDED, [])
    block = next(each for each in answer["live_blocks"] if each["size"] == 321)
    assert (block["place"]["file"], block["place"]["line"]) == ("library.c", 3)
