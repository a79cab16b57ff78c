"""heapstory view on the command line: what it writes, and what it refuses."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import heapstory as api
from tests.conftest import Compile, Heapstory, Record
from tests.support.full_disk import FULL, no_large_files
from tests.support.programs import ROOT
from tests.viewing.reading import blocks_of


def test_a_page(story: api.Trace, heapstory: Heapstory, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = heapstory("view", story.path, "-o", page, "--at", "20", "--no-source")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    head = json.loads(blocks_of(page.read_text())["head"])
    assert (head["at"], head["sources"], head["serve"]) == (20, [], False)


def test_findings(
    compile_program: Compile, record: Record, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = record(compile_program((ROOT / "examples" / "playlist.c").read_text()))
    spec = ROOT / "examples" / "playlist.spec"
    answer = heapstory("locate", trace, "--spec", spec, "--json")
    said = json.loads(answer.stdout)
    (tmp_path / "found.json").write_text(answer.stdout)
    page = tmp_path / "page.html"
    heads = []
    for words in (("--findings", tmp_path / "found.json"), ("--spec", spec)):
        done = heapstory("view", trace, "-o", page, *words)
        assert done.returncode == 0, done.stderr
        heads.append(json.loads(blocks_of(page.read_text())["head"]))
    assert heads[0] == heads[1]
    found = heads[0]["findings"]
    assert [one["ts"] for one in found if one["kind"] == "fault"] == [
        fault["ts"] for fault in said["faults"]
    ]
    assert heads[0]["at"] == found[0]["ts"] == said["faults"][0]["ts"]


def test_bad_input_is_one_line(story: api.Trace, heapstory: Heapstory, tmp_path: Path) -> None:
    other = {"schema": "heapstory.info/1", "suspicious": [suspicion(story.last + 1)]}
    (tmp_path / "other.json").write_text(json.dumps(other))
    (tmp_path / "broken.json").write_text("{")
    sliced = {"schema": "heapstory.slice/1", "program": ["./other"], "timestamps": 1}
    (tmp_path / "part.json").write_text(json.dumps(sliced))
    (tmp_path / "slice.json").write_text(json.dumps({**sliced, "statements": []}))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for words, said in {
            ("--at", "99999"): "is not in",
            ("--node", "99999"): "there is no node",
            ("-o", "/nonexistent/x.html"): "choose another file",
            ("--findings", str(tmp_path / "other.json")): "another trace",
            ("--findings", str(tmp_path / "broken.json")): "no JSON",
            ("--slice", str(tmp_path / "other.json")): "is no slice",
            ("--slice", str(tmp_path / "part.json")): "no whole answer",
            ("--slice", str(tmp_path / "slice.json")): "another trace",
            ("--serve", "--port", str(taken.getsockname()[1])): "choose another with --port",
            ("--serve", "--port", "65536"): "none beyond 65535",
            ("--port", "1"): "--port goes with --serve",
        }.items():
            done = heapstory("view", story.path, *words, cwd=tmp_path)
            assert done.returncode == 2, (words, done.stderr)
            assert said in done.stderr and done.stderr.count("\n") == 1, (words, done.stderr)
    assert heapstory("view", tmp_path / "no.story").returncode == 2


def test_a_page_is_written_whole_or_not_at_all(
    story: api.Trace, heapstory: Heapstory, tmp_path: Path
) -> None:
    page = tmp_path / "pages" / "page.html"
    page.parent.mkdir()
    for before in (None, "an older page"):
        if before:
            page.write_text(before)
        done = heapstory("view", story.path, "-o", page, preexec_fn=no_large_files)
        assert (done.returncode, done.stderr) == (2, f"heapstory: {page}: {FULL}\n")
        assert [file.read_text() for file in page.parent.iterdir()] == ([before] if before else [])


def test_a_trace_of_a_newer_version(story: api.Trace, heapstory: Heapstory, tmp_path: Path) -> None:
    newer = tmp_path / "newer.story"
    shutil.copytree(story.path, newer)
    meta = json.loads((newer / "meta.json").read_text())
    meta["format"] += 1
    del meta["checksum"]
    (newer / "meta.json").write_text(json.dumps(meta))
    for words in ((), ("--serve",)):
        done = heapstory("view", newer, *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (3, "")
        assert "install a newer heapstory" in done.stderr and done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*.html"))


def suspicion(timestamp: int) -> dict[str, object]:
    return {
        "kind": "overflow",
        "certain": True,
        "words": "",
        "ts": timestamp,
        "place": None,
        "node": None,
        "reached": None,
    }
