"""Many runs of a test suite, a fault in a few of them: which runs, which statement.

    python -m benchmarks.batch [--runs 1000] [--jobs 2] [--work FOLDER]

The suite is one program whose argument is the number of a test: each builds a doubly linked list by
random insertions and removals, and checks nothing but its length, so all of them pass. One branch
in forty is wrong: taking the first of exactly two items leaves ``prev`` of the other one as it was.
The program itself knows which runs went there and says so, which is the truth that the
answers are held against.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = """#include <stdio.h>
#include <stdlib.h>
struct item { struct item *next, *prev; int value; };
struct list { struct item *first, *last; int length; } *list;
static unsigned state;
static unsigned draw(unsigned n) { state = state * 1103515245u + 12345; return (state >> 16) % n; }
static void push(int value) {
    struct item *item = calloc(1, sizeof *item);
    item->value = value;
    item->prev = list->last;
    if (list->last) list->last->next = item; else list->first = item;
    list->last = item;
    list->length++;
}
static int pop_first(void) {
    struct item *item = list->first;
    int wrong = 0;
    list->first = item->next;
    if (item->next) {
        if (list->length == 2 && draw(40) == 0) wrong = 1; /* prev stays: the fault */
        else item->next->prev = NULL;
    } else list->last = NULL;
    list->length--;
    free(item);
    return wrong;
}
int main(int argc, char **argv) {
    int wrong = 0, length = 0;
    state = (unsigned)atoi(argv[1]) * 2654435761u;
    list = calloc(1, sizeof *list);
    for (int i = 0; i < 30; i++)
        if (length == 0 || draw(2)) { push(i); length++; } else { wrong |= pop_first(); length--; }
    if (wrong) { FILE *f = fopen("wrong.txt", "a"); fprintf(f, "%s\\n", argv[1]); fclose(f); }
    return list->length != length;
}
"""
SPEC = """list { first^; last^; length; }
item { next*; prev^; value; }
root: item from list.first;
item X;
X.next != NULL => X.next.prev == X;
X.ISROOT == true => X.prev == NULL;
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=Path, help="a folder to keep (default: a temporary one)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = args.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        measure(work, args.runs, args.jobs)
    return 0


def measure(work: Path, runs: int, jobs: int) -> None:
    (work / "suite.c").write_text(SOURCE)
    (work / "wrong.txt").write_text("")
    (work / "list.spec").write_text(SPEC)
    subprocess.run(["gcc", "-g", "-o", "suite", "suite.c"], cwd=work, check=True)
    (work / "commands.txt").write_text("".join(f"./suite {n}\n" for n in range(1, runs + 1)))
    question = "locate --spec list.spec"
    words = ["batch", "commands.txt", "-o", "runs", "--jobs", str(jobs), "--ask", question]
    began = time.time()
    tool(work, *words)
    print(f"| {runs} runs recorded and located, {jobs} at a time | {time.time() - began:.0f} s |")
    began = time.time()
    tool(work, *words)
    print(f"| the same again, all known | {time.time() - began:.1f} s |")
    truth = sorted({int(line) for line in (work / "wrong.txt").read_text().split()})
    located = []
    statements: dict[str, int] = {}
    for path in sorted((work / "runs").glob("*.json")):
        one = json.loads(path.read_text())
        (answer,) = one["answers"]
        if answer["status"] == 1:
            located.append(int(one["command"][1]))
            first = answer["answer"]["statements"][0]
            place = f"{first['file']}:{first['line']} in {first['function']}"
            statements[place] = statements.get(place, 0) + 1
    print(f"| runs with the fault, as the program says | {len(truth)} |")
    right = len(set(truth) & set(located))
    print(f"| runs in which locate found something | {len(located)}, {right} of them those |")
    began = time.time()
    sql = "SELECT count(DISTINCT trace), count(*) FROM nodes WHERE kind = 'heap'"
    counted = tool(work, "query", "runs/*.story", sql, "--format", "csv").splitlines()[-1]
    print(f"| SQL over all traces ({counted} traces, nodes) | {time.time() - began:.1f} s |")
    for place, times in sorted(statements.items(), key=lambda pair: -pair[1]):
        print(f"| first statement {place} | {times} runs |")
    size = subprocess.run(["du", "-sm", "runs"], cwd=work, capture_output=True, text=True).stdout
    print(f"| size of all traces | {size.split()[0]} MB |")


def tool(work: Path, *words: str) -> str:
    command = [sys.executable, "-m", "heapstory", *words]
    return subprocess.run(command, cwd=work, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
