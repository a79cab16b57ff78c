"""Programs that can and cannot be recorded, told apart before anything runs."""

from __future__ import annotations

import os
import shutil
import struct
import sys
from pathlib import Path

import pytest

from heapstory.errors import ProgramError, ProgramNotFoundError
from heapstory.recording.program import resolve


def elf(
    path: Path, bits: int = 2, machine: int = 62, kind: int = 3, interpreter: bool = True
) -> Path:
    """The head of a program, enough to judge it by."""
    ident = b"\x7fELF" + bytes([bits, 1, 1]) + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", kind, machine, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<II", 3 if interpreter else 1, 0) + bytes(48)
    path.write_bytes(ident + header + segment)
    path.chmod(0o755)
    return path


def test_a_plain_program_is_left_as_it_is(tmp_path: Path) -> None:
    command = [str(elf(tmp_path / "prog")), "-x", "--", "y"]
    assert resolve(command) == command
    assert resolve(["true"]) == ["true"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bits": 1, "machine": 3}, "32-bit program"),
        ({"machine": 183}, "built for ARM64"),
        ({"machine": 4711}, "built for machine 4711"),
        ({"kind": 1}, "object file"),
        ({"interpreter": False}, "statically linked.*--mode portable"),
    ],
)
def test_programs_of_the_wrong_kind(tmp_path: Path, change: dict[str, int], message: str) -> None:
    path = elf(tmp_path / "prog", **change)  # type: ignore[arg-type]
    with pytest.raises(ProgramError, match=message) as caught:
        resolve([str(path)])
    assert caught.value.exit_code == 126
    assert "\n" not in str(caught.value)


def test_setuid_programs_lose_their_rights(tmp_path: Path) -> None:
    path = elf(tmp_path / "prog")
    path.chmod(0o4755)
    with pytest.raises(ProgramError, match=r"is setuid.*record a copy: cp"):
        resolve([str(path)])
    path.chmod(0o2755)
    with pytest.raises(ProgramError, match="is setgid"):
        resolve([str(path)])


def test_what_cannot_be_run(tmp_path: Path) -> None:
    path = elf(tmp_path / "prog")
    path.chmod(0o644)
    with pytest.raises(ProgramError, match=r"not executable \(chmod \+x"):
        resolve([str(path)])
    with pytest.raises(ProgramError, match="is a directory"):
        resolve([str(tmp_path)])
    with pytest.raises(ProgramNotFoundError, match="no such program"):
        resolve([str(tmp_path / "missing")])
    with pytest.raises(ProgramNotFoundError, match="not found on PATH"):
        resolve(["surely-no-such-program"])
    (tmp_path / "text").write_text("hello\n")
    (tmp_path / "text").chmod(0o755)
    with pytest.raises(ProgramError, match="neither a Linux program"):
        resolve([str(tmp_path / "text")])
    (tmp_path / "cut").write_bytes(b"\x7fELF\x02")
    (tmp_path / "cut").chmod(0o755)
    with pytest.raises(ProgramError, match="neither a Linux program"):
        resolve([str(tmp_path / "cut")])


def script(path: Path, line: str) -> str:
    path.write_text(f"{line}\nexit 0\n")
    path.chmod(0o755)
    return str(path)


def test_scripts_are_recorded_through_their_interpreter(tmp_path: Path) -> None:
    plain = script(tmp_path / "plain", "#!/bin/sh -e")
    assert resolve([plain, "a"]) == ["/bin/sh", "-e", plain, "a"]
    env = script(tmp_path / "env", "#!/usr/bin/env sh")
    assert resolve([env, "a"]) == ["sh", env, "a"]
    split = script(tmp_path / "split", "#!/usr/bin/env -S sh -e -u")
    assert resolve([split]) == ["sh", "-e", "-u", split]


def test_interpreters_are_checked_as_well(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="interpreter /no/such does not exist"):
        resolve([script(tmp_path / "a", "#!/no/such")])
    with pytest.raises(ProgramError, match="interpreter nonesuch is not on PATH"):
        resolve([script(tmp_path / "b", "#!/usr/bin/env nonesuch")])
    with pytest.raises(ProgramError, match="names no interpreter"):
        resolve([script(tmp_path / "c", "#!")])
    static = elf(tmp_path / "static", interpreter=False)
    with pytest.raises(ProgramError, match="statically linked"):
        resolve([script(tmp_path / "d", f"#!{static}")])
    loop = tmp_path / "loop"
    with pytest.raises(ProgramError, match="script of a script"):
        resolve([script(loop, f"#!{loop}")])


def test_a_name_on_path_is_found_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elf(tmp_path / "myprog")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert resolve(["myprog"]) == ["myprog"]
    (tmp_path / "myprog").chmod(0o644)
    with pytest.raises(ProgramError, match="not executable"):
        resolve(["myprog"])


def test_this_python_can_be_recorded() -> None:
    assert resolve([sys.executable]) == [sys.executable]
    assert shutil.which("sh") is not None
