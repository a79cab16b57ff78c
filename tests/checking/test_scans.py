"""Looking for leaks while the program runs."""

from __future__ import annotations

import pytest

from tests.checking.checking import Check
from tests.conftest import Compile
from tests.support.programs import ROOT

ASKED = """\
#include <stdlib.h>
#include <string.h>
%s

void *volatile kept;

__attribute__((noinline)) static void clear(void) {
    volatile char below[4096];
    memset((void *)below, 0, sizeof below);
}

__attribute__((noinline)) static void make(int n) {
    kept = malloc(n);
    kept = NULL;
}

int main(void) {
    make(100);
    clear();
    %s;
    make(200);
    clear();
    %s;
    make(400);
    clear();
    return 0;
}
"""
HEADERS = {
    "HEAPSTORY_LEAKS()": '#include "heapstory.h"',
    "VALGRIND_DO_LEAK_CHECK": "#include <valgrind/memcheck.h>",
}


@pytest.mark.parametrize("request_", HEADERS)
@pytest.mark.parametrize("record", [False, True])
def test_a_program_may_ask(
    request_: str, record: bool, compile_program: Compile, check: Check, tmp_path: object
) -> None:
    text = ASKED % (HEADERS[request_], request_, request_)
    built = compile_program(text, f"-I{ROOT}/src/heapstory/include")
    options = ("--record", f"{tmp_path}/t.story") if record else ()
    answer = check(built, options=options)
    lost = [scan["heap"]["leak"] for scan in answer["scans"]]
    assert [one["bytes"] for one in lost] == [100, 300]
    assert answer["summary"]["heap"]["leak"]["bytes"] == 700
    (leak,) = [each for each in answer["leaks"] if each["bytes"] == 100]
    first, second = (scan["timestamp"] for scan in answer["scans"])
    assert leak["lost"]["before"] <= first < second
    assert "lost by timestamp" in answer["said"]


SLOW = """\
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void *volatile kept;

int main(void) {
    struct timespec pause = {0, 20000000};
    for (int i = 0; i < 60; i++) {
        if (i == 30) {
            kept = malloc(1000);
            kept = NULL;
        }
        nanosleep(&pause, NULL);
    }
    return 0;
}
"""


def test_looks_from_time_to_time_bound_the_loss(compile_program: Compile, check: Check) -> None:
    answer = check(compile_program(SLOW), options=("--scan-every", "0.1"))
    lost = [scan["heap"]["leak"]["bytes"] for scan in answer["scans"]]
    assert lost == sorted(lost) and set(lost) <= {0, 1000}
    assert (0 in lost, 1000 in lost) == (True, True), lost
    (leak,) = [each for each in answer["leaks"] if each["kind"] == "leak"]
    assert leak["lost"]["before"] < leak["lost"]["after"] + 100
    without = check(compile_program(SLOW))
    assert (without["scans"], without["leaks"][0]["lost"]) == ([], None)
