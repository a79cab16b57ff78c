"""What stands at a path before, while and after it is written."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from heapstory.whole_file import whole_file
from tests.support.waiting import wait_until


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "answer"
    path.write_text("old")
    path.chmod(0o640)
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o640)
    assert names(tmp_path) == ["answer"]


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "answer") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert names(tmp_path) == []


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    with whole_file(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() == "new"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(pipe) as file:
        file.write(b"new")
    assert os.read(reader, 10) == b"new"
    os.close(reader)
    assert names(tmp_path) == ["pipe"]


def test_a_long_name(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    with whole_file(path) as file:
        file.write(b"new")
    assert path.read_text() == "new"


def test_a_process_that_is_killed_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "answer"
    path.write_text("old")
    script = f"""import time
from pathlib import Path
from heapstory.whole_file import whole_file
with whole_file(Path({str(path)!r})) as file:
    file.write(b"half")
    file.flush()
    time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", script]) as writer:
        wait_until(lambda: len(names(tmp_path)) == 2)
        writer.kill()
    assert path.read_text() == "old"
