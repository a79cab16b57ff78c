"""Many runs: in parallel, resumed, in one table, and asked together."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Compile, Heapstory

# Breaks its list where its argument is a multiple of 5: prev of the third item stays as it was.
PROGRAM = """#include <stdlib.h>
struct item { struct item *next, *prev; };
struct item *first;
static void insert(int broken) {
    struct item *item = calloc(1, sizeof *item);
    item->next = first;
    if (first)
        first->prev = broken ? first : item; /* here */
    first = item;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    for (int i = 0; i < 4; i++)
        insert(n % 5 == 0 && i == 2);
    return n % 3;
}
"""


@pytest.fixture
def batch(tmp_path: Path, compile_program: Compile) -> Path:
    program = compile_program(PROGRAM)
    lines = "".join(f"{program} {n}  # the {n}th\n" for n in range(1, 11))
    (tmp_path / "commands.txt").write_text(f"# ten runs\n\n{lines}")
    return tmp_path


def rows(folder: Path, sql: str) -> list[tuple[object, ...]]:
    table = f"'{folder}/runs/answers.parquet'"
    with duckdb.connect(":memory:") as connection:
        return connection.execute(sql.replace("ANSWERS", table)).fetchall()


def test_a_batch(batch: Path, heapstory: Heapstory) -> None:
    count = """query "SELECT count(*) AS n FROM nodes WHERE kind = 'heap'" """.strip()
    words = ("batch", "commands.txt", "-o", "runs", "--jobs", "2", "--ask", "info", "--ask", count)
    done = heapstory(*words, cwd=batch)
    assert (done.returncode, done.stderr) == (0, "")
    table = rows(batch, "SELECT number, status FROM ANSWERS WHERE question = 'info' ORDER BY ALL")
    assert table == [(n, n % 3) for n in range(1, 11)]
    counted = rows(batch, "SELECT answer FROM ANSWERS WHERE question LIKE 'query%'")
    assert {json.loads(str(one[0]))["rows"][0][0] for one in counted} == {4}


def test_a_batch_goes_on(batch: Path, heapstory: Heapstory) -> None:
    words = ("batch", "commands.txt", "-o", "runs", "--ask", "info")
    assert heapstory(*words, cwd=batch).returncode == 0
    times = {path.name: path.stat().st_mtime_ns for path in (batch / "runs").glob("*.json")}
    (batch / "runs" / "00004.json").unlink()
    (batch / "runs" / "00007.json").write_text("{")
    assert heapstory(*words, cwd=batch).returncode == 0
    again = {path.name: path.stat().st_mtime_ns for path in (batch / "runs").glob("*.json")}
    assert {name for name in times if times[name] != again[name]} == {"00004.json", "00007.json"}
    assert rows(batch, "SELECT count(*) FROM ANSWERS") == [(10,)]


def test_all_traces_are_asked_together(batch: Path, heapstory: Heapstory) -> None:
    assert heapstory("batch", "commands.txt", "-o", "runs", cwd=batch).returncode == 0
    own = "FROM edges e JOIN nodes n USING (trace, node) WHERE n.kind = 'heap' AND target = node"
    sql = f"SELECT DISTINCT parse_filename(trace, true) AS run {own} ORDER BY run"
    done = heapstory("query", "runs/*.story", sql, "--json", cwd=batch)
    assert done.returncode == 0, done.stderr
    # A prev that points to its own item: in the runs that are multiples of five.
    assert [row[0] for row in json.loads(done.stdout)["rows"]] == ["00005", "00010"]
    where = f"SELECT DISTINCT place(trace, site) {own}"
    done = heapstory("query", "runs/*.story", where, "--json", cwd=batch)
    line = next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if "here" in text)
    assert json.loads(done.stdout)["rows"] == [[f"program.c:{line}"]]


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_tables_for_other_programs(batch: Path, heapstory: Heapstory, form: str) -> None:
    (batch / "commands.txt").write_text((batch / "commands.txt").read_text().splitlines()[2] + "\n")
    assert heapstory("batch", "commands.txt", "-o", "runs", cwd=batch).returncode in (0, 1)
    sql = "SELECT node, size, type FROM nodes WHERE kind = 'heap' ORDER BY node"
    file = batch / f"nodes.{form}"
    done = heapstory("query", "runs/00001.story", sql, "-o", file, cwd=batch)
    assert (done.returncode, done.stderr) == (0, "")
    if form == "parquet":
        with duckdb.connect(":memory:") as connection:
            sizes = connection.execute(f"SELECT size FROM '{file}'").fetchall()
    else:
        import pyarrow.ipc

        sizes = [(n,) for n in pyarrow.ipc.open_file(file).read_all()["size"].to_pylist()]
    assert sizes == [(16,)] * 4


def test_on_a_cluster(batch: Path, heapstory: Heapstory) -> None:
    from dask.distributed import LocalCluster

    words = ("batch", "commands.txt", "-o", "runs", "--ask", "info", "--engine", "dask")
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster:
        done = heapstory(*words, "--scheduler", cluster.scheduler_address, cwd=batch)
    assert done.returncode == 0, done.stderr
    assert rows(batch, "SELECT count(*) FROM ANSWERS") == [(10,)]


def test_what_was_not_recorded(batch: Path, heapstory: Heapstory) -> None:
    (batch / "one.txt").write_text("./none\n")
    done = heapstory("batch", "one.txt", "-o", "first", cwd=batch)
    assert (done.returncode, done.stderr) == (3, "heapstory: ./none: ./none: no such program\n")
    assert "1 run (1 not recorded)" in done.stdout
    (batch / "one.txt").write_text("sh -c 'exit 127'\n")  # its own status
    done = heapstory("batch", "one.txt", "-o", "runs", "--ask", "info", cwd=batch)
    assert (done.returncode, done.stderr) == (0, "")
    assert rows(batch, "SELECT status, question_status FROM ANSWERS") == [(127, 0)]
    # Nor is it answered from the trace of another command.
    (batch / "one.txt").write_text("./none\n")
    assert heapstory("batch", "one.txt", "-o", "runs", "--ask", "info", cwd=batch).returncode == 3
    assert rows(batch, "SELECT status, question_status FROM ANSWERS") == [(127, 2)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("commands.txt", "-o", "runs", "--ask", "sing"), "--ask sing: wants one of"),
        (("none.txt", "-o", "runs"), "none.txt: No such file"),
        (("empty.txt", "-o", "runs"), "empty.txt: there is no command"),
        (("bad.txt", "-o", "runs"), "bad.txt:1: No closing quotation"),
        (("commands.txt", "-o", "runs", "--engine", "dask"), "--scheduler"),
    ],
)
def test_bad_input(batch: Path, heapstory: Heapstory, words: tuple[str, ...], said: str) -> None:
    (batch / "empty.txt").write_text("# nothing\n")
    (batch / "bad.txt").write_text("./x 'y\n")
    done = heapstory("batch", *words, cwd=batch)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
