"""What the guard notices of mistakes with a known line: beside its peers, and in every build."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.support.page import table

REPOSITORY = Path(__file__).resolve().parent.parent
HEAPSTORY = Path(sys.executable).with_name("heapstory")
SOURCE = REPOSITORY / "tests/guarding/programs/errors.c"
NONE = "–"
MISTAKES = ("double-free", "inside", "stack", "global", "bad-realloc", "overrun", "underrun",
            "still-live", "grown", "after-free", "uninitialised", "used-after-free")  # fmt: skip
MISMATCHES = ("free-of-new", "delete-of-array", "delete-of-malloc", "double-delete")  # C++ alone
GOES_ON = 3  # the exit status of errors.c at its end

# The mistake is made by the last of eight threads, the others allocate meanwhile.
THREADS = """#define main mistakes
#include "errors.c"
#undef main
#include <pthread.h>
static char **all_words;
static volatile int ended;
static void *allocate(void *unused) {
    while (!ended)
        free(malloc(24)), free(malloc(10)), free(malloc(16));
    return unused;
}
static void *mistake(void *status) {
    *(int *)status = mistakes(2, all_words);
    return NULL;
}
int main(int count, char **words) {
    pthread_t made[8];
    int status = 0;
    all_words = words;
    for (int i = 0; i < 7; i++)
        pthread_create(&made[i], NULL, allocate, NULL);
    pthread_create(&made[7], NULL, mistake, &status);
    pthread_join(made[7], NULL);
    ended = 1;
    for (int i = 0; i < 7; i++)
        pthread_join(made[i], NULL);
    return status;
}
"""
CALLS_LIBRARY = """int mistakes(int, char **);
int main(int count, char **words) { return mistakes(count, words); }
"""


def _compile(compiler: str, output: Path, *words: str | Path) -> Path:
    subprocess.run([compiler, "-g", "-w", *words, "-o", output], check=True)
    return output


def _builds(work: Path) -> dict[str, Path]:
    """The same mistakes, built in seven ways."""
    threads, calls = work / "threads.c", work / "calls.c"
    threads.write_text(THREADS)
    calls.write_text(CALLS_LIBRARY)
    cxx = ("-fpermissive", "-x", "c++", SOURCE)
    library = _compile("gcc", work / "libmistakes.so", "-O2", "-fomit-frame-pointer", "-shared",
                       "-fPIC", "-Dmain=mistakes", SOURCE)  # fmt: skip
    return {
        "C, -O0": _compile("gcc", work / "c0", "-O0", SOURCE),
        "C, -O2": _compile("gcc", work / "c2", "-O2", SOURCE),
        "C++, -O0": _compile("g++", work / "cxx0", "-O0", *cxx),
        "C++, -O2": _compile("g++", work / "cxx2", "-O2", *cxx),
        "C, -O2, stripped": _stripped(work / "stripped", work / "c2"),
        "eight threads, -O2": _compile(
            "gcc", work / "threads", "-O2", "-pthread", f"-I{SOURCE.parent}", threads
        ),
        "in a library, -O2": _compile("gcc", work / "calls", "-O2", calls, library),
    }


def _stripped(output: Path, program: Path) -> Path:
    subprocess.run(["strip", "-o", output, program], check=True)
    return output


def in_all_builds(work: Path) -> str:
    """A table: what the guard says of each mistake in each build."""
    builds = _builds(work)
    rows = []
    for mistake in (*MISTAKES, *MISMATCHES):
        cells = [
            "" if mistake in MISMATCHES and not name.startswith("C++") else _finds(built, mistake)
            for name, built in builds.items()
        ]
        rows.append([mistake, *cells])
    return table(["mistake", *builds], rows)


def beside_peers(work: Path, others: dict[str, dict[str, str] | None]) -> str:
    """A table: whether each mistake is noticed, its line named, and whether the program goes on."""
    program = _compile("gcc", work / "errors", "-O1", SOURCE)
    asan = _compile("gcc", work / "errors.asan", "-O1", "-fsanitize=address", SOURCE)
    # Who complains of a program without a mistake finds nothing by complaining.
    for name, environment in others.items():
        if environment is not None and _ended(program, "none", environment) != (GOES_ON, False):
            print(f"{name} cannot run a program without a mistake", file=sys.stderr)
            others[name] = None
    rows = []
    for mistake in MISTAKES:
        cells = [_finds(program, mistake)]
        cells += [_peer_finds(program, mistake, each) for each in others.values()]
        rows.append([mistake, *cells, _asan_finds(asan, mistake)])
    return table(["mistake", "guard", *others, "ASan build"], rows)


def _finds(program: Path, mistake: str) -> str:
    answer = program.with_name("answer")
    words = [HEAPSTORY, "guard", "--json", answer, "--", program, mistake]
    done = subprocess.run(words, capture_output=True, timeout=60, text=True)
    found = [each for each in json.loads(answer.read_text())["findings"] if each["kind"] != "leak"]
    if not found:
        return NONE
    wanted = _wanted(mistake)
    right = "noticed"
    if wanted in (each["place"]["line"] for each in found):
        right = "line"
    elif wanted in _lines_of_addresses(program, done.stderr):
        right = "address"
    return f"{right}, goes on" if done.returncode == GOES_ON else right


def _lines_of_addresses(program: Path, said: str) -> set[int]:
    """The lines of what is named by module and offset, as the build that was not stripped has them.

    The heading is followed by the statement itself, then by the block and its stacks.
    """
    findings = said.partition("live at the end")[0]
    offsets = re.findall(rf"{program.name}\+0x([0-9a-f]+)", findings)
    if not offsets or program.name != "stripped":
        return set()
    words = ["addr2line", "-e", str(program.with_name("c2")), *offsets]
    places = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return {int(line) for line in re.findall(r"errors\.c:(\d+)", places)}


def _wanted(mistake: str) -> int:
    remark = "/* made here */" if mistake == "still-live" else f"/* {mistake} */"
    lines = SOURCE.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if remark in line)


def _asan_finds(program: Path, mistake: str) -> str:
    """It names the access itself, so any line of the mistake's own function counts."""
    done = subprocess.run([program, mistake], env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
                          capture_output=True, text=True, timeout=60)  # fmt: skip
    if "ERROR: AddressSanitizer" not in done.stderr:
        return NONE if done.returncode == GOES_ON else "stops"
    return "line, stops" if f"{SOURCE.name}:" in done.stderr else "stops"


def _peer_finds(program: Path, mistake: str, environment: dict[str, str] | None) -> str:
    if environment is None:
        return NONE
    status, said = _ended(program, mistake, environment)
    if status == GOES_ON:
        return "noticed, goes on" if said else NONE
    return "stops"


def _ended(program: Path, mistake: str, environment: dict[str, str]) -> tuple[int, bool]:
    """The exit status, and whether anything was said on stderr."""
    try:
        done = subprocess.run([program, mistake], env={**os.environ, **environment},
                              capture_output=True, timeout=30)  # fmt: skip
    except subprocess.TimeoutExpired:
        return -1, False
    return done.returncode, bool(done.stderr.strip())
