"""What a query may do: ask its trace anything, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

import heapstory as library
from heapstory.errors import UsageError
from heapstory.store.sql import TABLES
from tests.conftest import Compile, Heapstory, Record

PROGRAM = """#include <stdlib.h>
void *held;
int main(void) {
    held = malloc(24);
    free(held);
    held = malloc(24);
    return 0;
}
"""


@pytest.fixture
def path(compile_program: Compile, record: Record) -> Path:
    return record(compile_program(PROGRAM))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd.csv'",
        "SELECT * FROM read_csv('/etc/pass*')",
        "COPY nodes TO 'out.csv'",
        "ATTACH 'other.db'",
        "EXPORT DATABASE 'folder'",
        "INSTALL httpfs",
        "LOAD '/tmp/evil.duckdb_extension'",
        "SELECT * FROM 'https://example.org/x.parquet'",
        "SET enable_external_access = true",
        "SET allowed_paths = ['/etc/passwd']",
        "SELECT * FROM secret_of_the_caller",
    ],
)
def test_nothing_outside_of_the_trace(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    secret_of_the_caller = library.open(path).core.table("nodes")
    with library.open(path) as trace, pytest.raises(UsageError):
        trace.query(sql)
    assert set(tmp_path.iterdir()) == before and secret_of_the_caller is not None


def test_files_that_are_named(path: Path, tmp_path: Path, heapstory: Heapstory) -> None:
    copy = "COPY (SELECT 1 AS one) TO 'out.csv'"
    refused = heapstory("query", path, copy, cwd=tmp_path)
    assert refused.returncode == 2 and "--allow-files FILE" in refused.stderr
    words = ("query", path, "--allow-files", "out.csv")
    assert heapstory(*words, copy, cwd=tmp_path).returncode == 0
    assert (tmp_path / "out.csv").read_text() == "one\n1\n"
    assert heapstory(*words, copy.replace("out", "other"), cwd=tmp_path).returncode == 2
    answer = heapstory(*words, "--format", "csv", "FROM 'out.csv'", cwd=tmp_path)
    assert answer.stdout == "one\n1\n"


def test_addresses_as_they_are_printed(path: Path) -> None:
    with library.open(path) as trace:
        (node, address), *_ = trace.query("SELECT node, addr(address) FROM nodes WHERE size = 24")
        for text in (address, address.upper().replace("X", "x"), f"'{address}'"):
            sql = f"SELECT node FROM nodes WHERE address = {text} ORDER BY node LIMIT 1"
            assert list(trace.query(sql)) == [(node,)]
        quoted = """SELECT '0x10' AS "0x20", 0x10 AS n /* 0x30 */ -- 0x40"""
        answer = trace.query(quoted)
        assert (answer.columns, answer.rows) == (["0x20", "n"], [("0x10", 16)])


def test_places_in_conditions(path: Path) -> None:
    with library.open(path) as trace:
        written = "SELECT count(*) FROM events WHERE kind = 'store' AND place(site) = 'program.c:4'"
        plainly = (
            "SELECT count(*) FROM events JOIN sites USING (site) "
            "WHERE kind = 'store' AND file = 'program.c' AND line = 4"
        )
        assert trace.query(written).rows == trace.query(plainly).rows != [(0,)]
        joined = (
            "SELECT count(*) FROM events JOIN sites USING (site) "
            "WHERE place(site) = 'program.c:6' AND kind = 'alloc'"
        )
        assert list(trace.query(joined)) == [(1,)]


def test_what_there_is(path: Path, heapstory: Heapstory) -> None:
    with library.open(path) as trace:
        assert {name for (name,) in trace.query("SHOW TABLES")} == set(TABLES)
        assert len(trace.query("DESCRIBE frees")) == 10
        ((now,),) = trace.query("SELECT now()")
        assert str(now)[:2] == "20"
    for nothing in ("", "  ", "-- nothing", ";"):
        answer = heapstory("query", path, nothing)
        assert answer.returncode == 2 and "no statement" in answer.stderr


@pytest.mark.parametrize("form", ["table", "json", "csv", "arrow"])
def test_values_of_every_type(path: Path, tmp_path: Path, heapstory: Heapstory, form: str) -> None:
    """Also those that Python has no type for, as times with a zone inside of a list."""
    output = tmp_path / f"all.{form}"
    asked = "SELECT * FROM test_all_types()"
    done = heapstory("query", path, asked, "--format", form, "-o", output)
    assert (done.returncode, done.stderr) == (0, "")
    if form == "csv":
        lines = output.read_text().splitlines()
        assert lines[0].startswith("bool,tinyint,") and len(lines) == 4


def test_a_type_that_parquet_does_not_have(
    path: Path, tmp_path: Path, heapstory: Heapstory
) -> None:
    words = ("--format", "parquet", "-o", tmp_path / "all.parquet")
    done = heapstory("query", path, "SELECT empty_struct FROM test_all_types()", *words)
    assert done.returncode == 2
    assert "Parquet" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "sql",
    ["SELECT now()", "SELECT 1; SELECT now(), 2", "SELECT [now()] -- a list", "VALUES (now())"],
)
def test_times_with_a_zone_are_text(path: Path, sql: str) -> None:
    with library.open(path) as trace:
        ((time, *_),) = trace.query(sql)
    assert str(time).lstrip("['").startswith("20")


def test_a_statement_that_cannot_show_times(path: Path, heapstory: Heapstory) -> None:
    done = heapstory("query", path, "CALL test_all_types()")
    assert done.returncode == 2
    assert "CAST" in done.stderr and len(done.stderr.splitlines()) == 1
