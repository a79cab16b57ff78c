"""Programs that do to their memory what few do: they are recorded to their own end."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import heapstory as library
from tests.conftest import COMMAND, Compile, Heapstory, Record
from tests.support.waiting import wait_until

EMPTY_FILES = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    for (int shared = 0; shared < 2; shared++) {
        int fd = memfd_create("empty", 0);
        int how = shared ? MAP_SHARED : MAP_PRIVATE;
        char *text = mmap(NULL, 8192, PROT_READ | PROT_WRITE, how, fd, 0);
        if (ftruncate(fd, 8192) != 0)
            return 1;
        strcpy(text, "here");
        if (ftruncate(fd, 0) != 0)
            return 2;
    }
    char *block = malloc(8);
    strcpy(block, "there");
    puts(block);
    return 5;
}
"""


def test_mappings_of_files_that_are_empty(compile_program: Compile, record: Record) -> None:
    with library.open(record(compile_program(EMPTY_FILES), status=5)) as trace:
        assert trace.complete and trace.info().exit_code == 5


# Every function that allocates, and the bytes of the block. Newer Valgrinds hand a reallocarray of
# nothing, or to nothing, to the tool itself.
ALLOCATIONS = {
    "pvalloc(100)": 4096,
    "valloc(100)": 100,
    "memalign(64, 100)": 100,
    "aligned_alloc(64, 128)": 128,
    "reallocarray(0, 10, 10)": 100,
    "realloc(0, 100)": 100,
    "realloc(malloc(3), 0) ?: malloc(7)": 7,
    "reallocarray(malloc(3), 0, 9) ?: malloc(7)": 7,
}


def test_every_function_that_allocates(compile_program: Compile, record: Record) -> None:
    calls = "\n".join(f"    p = {call}; *(char *)p = 1; free(p);" for call in ALLOCATIONS)
    program = compile_program(
        "#define _GNU_SOURCE\n#include <malloc.h>\n#include <stdlib.h>\nvoid *p;\n"
        f"int main(void) {{\n{calls}\n}}\n"
    )
    with library.open(record(program)) as trace:
        rows = trace.query(
            "SELECT max_by(n.size, n.node), bool_and(n.freed IS NOT NULL) FROM nodes n "
            "JOIN sites s ON s.site = n.created_site WHERE s.file = 'program.c' "
            "GROUP BY s.line ORDER BY s.line"
        ).rows
        assert rows == [(size, True) for size in ALLOCATIONS.values()]


def test_an_instruction_that_is_not_known(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    store = '__asm__(".byte 0x62,0xf1,0x7c,0x48,0x11,0x00" : : "a"(room));'  # vmovups %zmm0, (%rax)
    program = compile_program(f"int main(void) {{\n    char room[64];\n    {store}\n}}\n")
    trace = tmp_path / "t.story"
    done = heapstory("record", "-o", trace, "--", program)
    assert done.returncode == 128 + signal.SIGILL
    assert done.stderr.count("\n") == 1 and "AVX-512" in done.stderr
    with library.open(trace) as opened:
        assert opened.info().exit_place and opened.info().exit_place.line == 3


def test_the_program_has_its_own_descriptors_and_environment(
    heapstory: Heapstory, tmp_path: Path
) -> None:
    script = "ls /proc/self/fd; exec 3</dev/null; valgrind --tool=none -q true; echo $?"
    plain = subprocess.run(["sh", "-c", script], capture_output=True, text=True, cwd=tmp_path)
    words = ("record", "-o", tmp_path / "t.story", "--", "sh", "-c", script)
    assert heapstory(*words, cwd=tmp_path).stdout == plain.stdout
    echo = ("record", "-o", tmp_path / "e.story", "--", "sh", "-c", "echo $VALGRIND_LIB")
    assert heapstory(*echo, env={"VALGRIND_LIB": "/mine"}).stdout == "/mine\n"


def test_a_first_file_is_3(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> None:
    program = compile_program(
        '#include <fcntl.h>\nint main(void) { return open("/dev/null", O_RDONLY); }\n'
    )
    words = ("record", "-o", tmp_path / "t.story", "--", program)
    assert heapstory(*words, stdin=subprocess.DEVNULL).returncode == 3


THREADS = """#include <pthread.h>
#include <stdlib.h>
long kept[5];
static void *run(void *number) { kept[(long)number] = 1; return NULL; }
int main(void) {
    for (long i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, (void *)i);
        pthread_join(thread, NULL);
    }
    return 0;
}
"""


def test_threads_one_after_the_other(compile_program: Compile, record: Record) -> None:
    with library.open(record(compile_program(THREADS, "-pthread"))) as trace:
        assert trace.info().counts["threads"] == 5
        rows = trace.query(
            "SELECT DISTINCT thread FROM events JOIN sites USING (site) "
            "WHERE file = 'program.c' AND \"function\" = 'run' AND kind = 'store' ORDER BY thread"
        )
        assert [thread for (thread,) in rows] == [2, 3, 4, 5]


def test_who_kills_the_recorder_kills_the_program(compile_program: Compile, tmp_path: Path) -> None:
    program = compile_program(
        "#include <stdio.h>\n#include <unistd.h>\n"
        'int main(void) { printf("%d\\n", getpid()); fflush(stdout); pause(); return 0; }\n'
    )
    words = [str(COMMAND), "record", "-o", str(tmp_path / "t.story"), "--", str(program)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout is not None
        pid = int(recorder.stdout.readline())
        recorder.kill()
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid))
    wait_until(lambda: (tmp_path / "t.story" / "collector.json").exists())


def _is_zombie(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
