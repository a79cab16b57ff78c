"""The folder of a trace, the engine's folder and the recorded process, without the recorder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from heapstory.errors import HeapstoryError
from heapstory.recording import engine, folder
from heapstory.recording.process import Ending
from heapstory.recording.recorder import Request
from heapstory.store.meta import seal

SH = "/bin/sh"


def run(script: str) -> Ending:
    """In a process of its own: it waits for all its children, and takes signals."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, SH, "-c", script], capture_output=True, text=True
    )
    status, *collectors = map(int, done.stdout.split())
    return Ending(status, collectors, False)


_RUN = """
import os, sys
from heapstory.recording import process
_, ending = process.run(sys.argv[1:], dict(os.environ), lambda: None)
print(ending.status, *ending.collectors)
"""


def test_the_status_is_the_programs_own() -> None:
    assert run("exit 0").shell_status == 0
    assert run("exit 37").shell_status == 37
    ending = run("kill -SEGV $$")
    assert (ending.code, ending.signal, ending.shell_status) == (None, 11, 139)


def test_processes_left_behind_do_not_hold_us_up() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RUN, SH, "-c", "sleep infinity >/dev/null 2>&1 & echo $!"],
        capture_output=True,
        text=True,
    )
    pid, status = done.stdout.split()
    os.kill(int(pid), signal.SIGKILL)
    assert status == "0"


def test_orphaned_collectors_are_waited_for(tmp_path: Path) -> None:
    collector = tmp_path / engine.COLLECTOR
    begun = tmp_path / "begun"
    # It ends after the program has, whose process it is given.
    outlive = "while kill -0 $1 2>/dev/null; do sleep 0.01; done"
    collector.write_text(f"#!{SH}\ntouch {begun}\n{outlive}\ntouch {tmp_path}/done\nexit 5\n")
    collector.chmod(0o755)
    # As the recorder does, the program waits until its collector is there.
    ending = run(f"({collector} $$ &) ; while [ ! -e {begun} ]; do sleep 0.01; done; exit 3")
    assert ending.shell_status == 3
    assert (tmp_path / "done").exists()
    assert [os.WEXITSTATUS(status) for status in ending.collectors] == [5]


_FAIL = """
import os, sys
from heapstory.recording import process
try:
    process.run(sys.argv[1:], dict(os.environ), lambda: None, started=lambda: 1 / 0)
except ZeroDivisionError:
    print(process._children())
"""


def test_a_failure_beside_the_program_ends_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FAIL, "/bin/sleep", "infinity"], capture_output=True, text=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_signals_are_passed_on(number: signal.Signals) -> None:
    name = number.name.removeprefix("SIG")
    script = f'trap "exit 42" {name}; echo ready; while :; do sleep 0.05; done'
    with subprocess.Popen(
        [sys.executable, "-c", _RUN, SH, "-c", script], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.send_signal(number)
        assert os.WEXITSTATUS(int(running.stdout.read())) == 42


def test_the_program_finds_signals_as_a_shell_leaves_them() -> None:
    script = "grep -E 'SigIgn|SigBlk' /proc/self/status"
    inside = subprocess.run(
        [sys.executable, "-c", _RUN, SH, "-c", script], capture_output=True, text=True
    ).stdout.splitlines()[:2]
    outside = subprocess.run([SH, "-c", script], capture_output=True, text=True).stdout
    assert inside == outside.splitlines()


def test_an_existing_trace_is_refused_or_replaced(tmp_path: Path) -> None:
    trace = tmp_path / "a.story"
    folder.prepare(trace, force=False)
    folder.describe(trace, {"program": ["a"]})
    with pytest.raises(HeapstoryError, match=r"a.story exists .*--force"):
        folder.prepare(trace, force=False)
    later = tmp_path / "a.1.story"
    later.mkdir()
    folder.prepare(trace, force=True)
    assert list(trace.iterdir()) == []
    assert not later.exists()
    later.mkdir()
    trace.rmdir()
    with pytest.raises(HeapstoryError, match=r"a.1.story exists"):
        folder.prepare(trace, force=False)


def test_only_traces_are_replaced(tmp_path: Path) -> None:
    precious = tmp_path / "a.story"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    with pytest.raises(HeapstoryError, match="is not a trace; it is not replaced"):
        folder.prepare(precious, force=True)
    assert (precious / "thesis.txt").exists()
    with pytest.raises(HeapstoryError, match="no such directory"):
        folder.prepare(tmp_path / "no" / "b.story", force=False)


def test_the_end_is_added_where_the_collector_could_not_know_it(tmp_path: Path) -> None:
    traces = {
        "a.story": {"pid": 7, "ended": "exec", "exit": None},
        "a.1.story": {"pid": 7, "complete": False},
        "a.2.story": {"pid": 8},
        "a.3.story": {"pid": 7, "ended": "exit", "exit": {"code": 3, "signal": None}},
    }
    for name, meta in traces.items():
        (tmp_path / name).mkdir()
        folder.write_json(tmp_path / name / "collector.json", meta)
    folder.sign_off(tmp_path / "a.story", 7, Ending(9, [], False))
    after = {name: json.loads((tmp_path / name / "meta.json").read_text()) for name in traces}
    assert after["a.1.story"]["exit"] == {"code": None, "signal": 9}
    assert after["a.1.story"]["ended"] == "killed"
    assert {name: meta for name, meta in after.items() if name != "a.1.story"} == {
        name: seal(meta) for name, meta in traces.items() if name != "a.1.story"
    }


def test_what_went_wrong_is_one_line(tmp_path: Path) -> None:
    (tmp_path / folder.LOG).write_text("valgrind: out of memory\nmore\n")
    fine = Ending(0, [], False)
    assert "nothing was recorded: out of memory" in str(folder.complaint(tmp_path, 1, fine))
    (tmp_path / "collector.json").write_text("{}")
    assert folder.complaint(tmp_path, 1, fine) is None
    assert "killed by signal 9" in str(folder.complaint(tmp_path, 1, Ending(0, [9], False)))
    (tmp_path / folder.ERROR).write_text("no space left on device: /x\n")
    assert folder.complaint(tmp_path, 1, fine) == "no space left on device: /x"


@pytest.mark.parametrize("status", [1 << 8, signal.SIGSEGV], ids=["panic", "fault"])
def test_the_recorders_own_end_is_not_the_programs(tmp_path: Path, status: int) -> None:
    ending = Ending(status, [], False)
    (tmp_path / folder.LOG).write_text("--42-- VALGRIND INTERNAL ERROR: signal 7 - exiting\n")
    folder.write_json(tmp_path / "collector.json", {"pid": 7, "ended": "killed", "exit": None})
    assert "the recorder itself failed: VALGRIND INTERNAL ERROR: signal 7" in str(
        folder.complaint(tmp_path, 7, ending)
    )
    folder.sign_off(tmp_path, 7, ending)
    meta = json.loads((tmp_path / "meta.json").read_text())
    assert (meta["ended"], meta["exit"]) == ("failed", None)
    assert folder.complaint(tmp_path, 7, Ending(signal.SIGKILL, [], False)) is None
    folder.write_json(tmp_path / "collector.json", {"pid": 7, "ended": "exit"})
    assert folder.complaint(tmp_path, 7, ending) is None


def test_options_of_the_recorder() -> None:
    request = Request(
        ["a"],
        Path("a.story"),
        start="main",
        changes=100,
        own=["/opt/app"],
        cpoints=["f:exit", "a.c:3"],
        follow_children=True,
        source=False,
    )
    assert request.options() == [
        "--own=/opt/app",
        "--cpoint=f:exit",
        "--cpoint=a.c:3",
        "--from=main",
        "--follow-children=yes",
        "--collector-arg=--for=100",
        "--collector-arg=--no-source",
    ]


def fake_valgrind(tmp_path: Path, versions: dict[str, str]) -> None:
    """A Valgrind whose tools name their versions, and a recorder beside it."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "libexec/valgrind").mkdir(parents=True)
    for name in ("vgpreload_core-amd64-linux.so", "default.supp"):
        (tmp_path / "libexec/valgrind" / name).write_text(name)
    cases = "".join(f'*tool={tool}*) echo "valgrind-{v}";; ' for tool, v in versions.items())
    launcher = tmp_path / "bin/valgrind"
    launcher.write_text(f'#!{SH}\ncase "$*" in {cases} esac\n')
    launcher.chmod(0o755)
    (tmp_path / "_native/valgrind").mkdir(parents=True)
    for name in (engine.TOOL, engine.PRELOAD):
        (tmp_path / "_native/valgrind" / name).write_text(name)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(engine, "native_folder", lambda: tmp_path / "_native")
    return tmp_path


def test_the_folder_for_valgrind_is_made_once(elsewhere: Path) -> None:
    fake_valgrind(elsewhere, {"heapstory": "3.19.0", "none": "3.19.0"})
    found = engine.find_engine()
    library = engine.library_folder(found)
    names = {entry.name for entry in library.iterdir()}
    assert names == {
        engine.TOOL,
        engine.PRELOAD,
        "vgpreload_core-amd64-linux.so",
        "default.supp",
    }
    assert engine.library_folder(found) == library
    (elsewhere / "_native/valgrind" / engine.TOOL).write_text("a newer tool")
    assert engine.library_folder(found) != library


def test_another_version_of_valgrind_is_refused(elsewhere: Path) -> None:
    fake_valgrind(elsewhere, {"heapstory": "3.19.0", "none": "3.22.0"})
    with pytest.raises(HeapstoryError, match=r"built for valgrind 3.19.0, but .* is of 3.22.0"):
        engine.library_folder(engine.find_engine())


def test_the_engine_that_came_along_is_taken_first(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_valgrind(elsewhere, {"heapstory": "3.19.0", "none": "3.22.0"})
    own = elsewhere / "_native/engine"
    own.mkdir()
    for name in ("valgrind", "vgpreload_core-amd64-linux.so", "default.supp"):
        (own / name).write_text("")
        (own / name).chmod(0o755)
    found = engine.find_engine()
    assert found.launcher == own / "valgrind"
    links = {entry.readlink() for entry in engine.library_folder(found).iterdir()}
    assert own / "default.supp" in links
    monkeypatch.setenv("HEAPSTORY_VALGRIND", str(elsewhere / "bin/valgrind"))
    assert engine.find_engine().launcher == elsewhere / "bin/valgrind"


def test_no_valgrind(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(elsewhere))
    with pytest.raises(HeapstoryError, match="apt-get install valgrind"):
        engine.find_engine()


def test_a_cache_without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert engine.cache_folder() == tmp_path / f"heapstory-{os.getuid()}"
