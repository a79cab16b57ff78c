"""The command line over a fake core: formats, exit statuses, one-line errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from heapstory import commands
from heapstory.commands import main
from heapstory.trace import Trace
from tests.support.fake_core import FakeCore
from tests.support.fake_trace import LIST

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(trace: Trace, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a verb on the fake trace."""

    def call(verb: str, *words: str) -> tuple[int, str, str]:
        status = main([verb, str(trace.path), *words])
        out, err = capsys.readouterr()
        return status, out, err

    return call


def test_info(run: Run) -> None:
    status, out, _ = run("info", "--json")
    body = json.loads(out)
    assert status == 0
    assert body["schema"] == "heapstory.info/1"
    assert body["program"] == ["./list", "3"]
    assert body["exit"] == {"code": 0, "signal": None, "place": None}
    assert (body["timestamps"], body["nodes"], body["complete"]) == (8, 3, True)
    assert "exit status 0" in run("info")[1]


def test_graph_formats(run: Run, tmp_path: Path) -> None:
    assert run("graph", "--at", "6")[1].startswith("graph at timestamp 6 of 8: 3 nodes")
    assert json.loads(run("graph", "--format", "json")[1])["schema"] == "heapstory.graph/1"
    assert run("graph", "--format", "dot")[1].startswith("digraph")
    target = tmp_path / "out.dot"
    assert run("graph", "--evolution", "-o", str(target)) == (0, "", "")
    assert "style=dashed" in target.read_text()


def test_a_graph_too_big_to_draw_says_how_to_narrow_it(run: Run) -> None:
    status, out, err = run("graph", "--limit", "2")
    assert (status, out) == (4, "")
    assert "3 nodes are too many to draw" in err
    assert "--root, --depth or --type" in err
    assert run("graph", "--limit", "2", "--root", "head", "--depth", "1")[0] == 0
    assert run("graph", "--limit", "0")[0] == 0


def test_history(run: Run) -> None:
    body = json.loads(run("history", "--node", "1", "--field", "next", "--json")[1])
    assert body["schema"] == "heapstory.history/1"
    assert [version["ts"] for version in body["versions"]] == [3, 6, 8]
    assert body["versions"][1]["target"] == {"node": 2, "offset": 0}
    assert body["versions"][0]["target"] is None


def test_query_formats(run: Run) -> None:
    sql = "SELECT node, addr(address) AS a, place(created_site) AS p FROM nodes ORDER BY node"
    status, out, _ = run("query", sql)
    assert status == 0
    assert out.splitlines()[0].split() == ["node", "a", "p"]
    assert out.splitlines()[3].split() == ["1", "0x4a00000", "list.c:2"]
    assert run("query", sql, "--format", "csv")[1].splitlines()[1] == "0,0x404010,list.c:1"
    body = json.loads(run("query", sql, "--json")[1])
    assert body["columns"] == ["node", "a", "p"]
    assert body["rows"][2] == [2, "0x4a00040", "list.c:3"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("query", "SELEC 1"), "syntax error"),
        (("query", "SELECT x FROM nodes"), 'column "x" not found'),
        (("graph", "--at", "99"), "timestamp 99 is not in"),
        (("graph", "--depth", "-1"), "less than 0"),
        (("graph", "--format", "gif"), "invalid choice"),
        (("history",), "--node --address"),
        (("history", "--address", "0x10", "--field", "next"), "--field goes with --node"),
    ],
)
def test_bad_input_is_one_line_and_2(run: Run, words: tuple[str, ...], message: str) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("heapstory: ")
    assert err.count("\n") == 1


def test_an_incomplete_trace_answers_with_4(
    open_fake: Callable[[FakeCore], Trace], capsys: pytest.CaptureFixture[str]
) -> None:
    trace = open_fake(FakeCore(LIST, complete=False))
    for words in (["info"], ["graph"], ["history", "--node", "1"], ["query", "SELECT 1"]):
        assert main([words[0], str(trace.path), *words[1:]]) == 4
        out, err = capsys.readouterr()
        assert out
        assert "is incomplete" in err
        assert "chunk 3 is cut off" in err


def test_what_is_no_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    assert main(["info", str(tmp_path / "missing.story")]) == 2
    assert "no such trace" in capsys.readouterr().err
    assert main(["info", str(tmp_path / "file")]) == 3
    assert "not a trace" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ([], 2),
        (["frobnicate"], 2),
        (["info"], 2),
        (["record"], 125),
        (["record", "--nonsense", "--", "true"], 125),
        (["record", "--stream-for", "0", "--", "true"], 125),
        (["record", "--stream-from", "f#0", "--", "true"], 125),
        (["record", "--stream-until", ":7", "--", "true"], 125),
        (["record", "--mode", "internals", "--allocator", "f", "--", "true"], 125),
        (["record", "--mode", "portable", "--alloc-fn", "f", "--", "true"], 125),
        (["record", "--mode", "magic", "--", "true"], 125),
        (["record", "--for", "0", "--", "true"], 125),
        (["record", "--", "/no/such/program"], 127),
        (["record", "--", "no-such-program-on-path"], 127),
        (["record", "--", "/tmp"], 126),
    ],
)
def test_usage_errors(words: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == status
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


def test_unexpected_errors_are_one_line_unless_debugging(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HEAPSTORY_DEBUG", raising=False)
    monkeypatch.setattr(Trace, "info", lambda self: 1 // 0)
    status, _, err = run("info")
    assert status == 3
    assert "internal error: ZeroDivisionError" in err
    assert "please report" in err
    monkeypatch.setenv("HEAPSTORY_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run("info")


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--version"], ["--help"], *([verb, "--help"] for verb in commands.VERBS)):
        with pytest.raises(SystemExit) as done:
            main(words)
        assert done.value.code in (0, None)
        assert capsys.readouterr().out


def test_verbs_load_only_what_they_need() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from heapstory.commands import build_parser; build_parser('doctor');"
        "print([m for m in ('dataclasses', 'duckdb', 'heapstory.trace', 'heapstory._core')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() in ("[]", "['dataclasses']")
