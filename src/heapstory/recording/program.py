"""Finding a program, and saying why it cannot be recorded before anything is run."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import struct
from pathlib import Path

from heapstory.errors import ProgramError, ProgramNotFoundError

_X86_64 = 62
_ET_EXEC, _ET_DYN = 2, 3
_PT_INTERP = 3
_INTERPRETERS = 4  # as deep as the kernel follows #! lines
_MACHINES = {
    3: "32-bit x86",
    40: "32-bit ARM",
    183: "ARM64",
    243: "RISC-V",
    21: "POWER",
    22: "s390",
}


# Why a statically linked program is refused, and what to do; other verbs have words of their own.
STATIC_RECORDED = (
    "is statically linked, so malloc cannot be replaced in it: mode alloc does not work (link it "
    "dynamically, or use --mode portable)"
)


def resolve(
    command: list[str], needs_loader: bool = True, static: str = STATIC_RECORDED
) -> list[str]:
    """The command to run, checked. A script becomes its interpreter with the script's path.

    With ``needs_loader`` a statically linked program is refused, in the words of ``static``.
    """
    for _ in range(_INTERPRETERS):
        path = find(command[0])
        head = _read_head(path)
        if not head.startswith(b"#!"):
            _check_elf(path, head)
            if needs_loader:
                _check_loader(path, head, static)
            return command
        command = [*_interpreter(path, head), str(path), *command[1:]]
    raise ProgramError(f"{command[0]}: its #! line leads to a script of a script; name the program")


def find(name: str) -> Path:
    """The file a name means, by PATH unless it holds a slash."""
    if "/" not in name:
        found = shutil.which(name) or shutil.which(name, mode=os.F_OK)
        if found is None:
            raise ProgramNotFoundError(f"{name}: not found on PATH (for this folder: ./{name})")
        path = Path(found)
    else:
        path = Path(name)
    if not path.exists():
        raise ProgramNotFoundError(f"{name}: no such program")
    if path.is_dir():
        raise ProgramError(f"{name}: is a directory, not a program")
    if not path.is_file():
        raise ProgramError(f"{name}: not a regular file")
    if not os.access(path, os.X_OK):
        raise ProgramError(f"{name}: not executable (chmod +x {shlex.quote(str(path))})")
    if not os.access(path, os.R_OK):
        raise ProgramError(f"{name}: not readable; the recorder must read what it runs")
    _check_privileges(path)
    return path


def _check_privileges(path: Path) -> None:
    mode = path.stat().st_mode
    kind = "setuid" if mode & stat.S_ISUID else "setgid" if mode & stat.S_ISGID else None
    if kind is None:
        try:
            kind = "a file with capabilities" if os.getxattr(path, "security.capability") else None
        except OSError:
            return
    if kind:
        copy = shlex.quote(f"./{path.name}")
        raise ProgramError(
            f"{path}: is {kind}; such a program loses its rights under a recorder "
            f"(record a copy: cp --no-preserve=all {path} {copy} && chmod 755 {copy})"
        )


def _read_head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(64 * 1024)


def _interpreter(script: Path, head: bytes) -> list[str]:
    """The words of a #! line; env is looked through, so that its program is what is recorded."""
    line = os.fsdecode(head[2:].split(b"\n", 1)[0]).strip()
    words = line.split(None, 1)
    if not words:
        raise ProgramError(f"{script}: its #! line names no interpreter")
    if not Path(words[0]).exists():
        raise ProgramError(f"{script}: its interpreter {words[0]} does not exist")
    if Path(words[0]).name == "env" and len(words) == 2:
        rest = words[1]
        split = rest.startswith(("-S", "--split-string"))
        program = shlex.split(rest.partition("-S")[2]) if split else [rest]
        if program and not program[0].startswith("-") and "=" not in program[0]:
            if shutil.which(program[0]) is None:
                raise ProgramError(f"{script}: its interpreter {program[0]} is not on PATH")
            return program
    return words


def _check_elf(path: Path, head: bytes) -> None:
    if not head.startswith(b"\x7fELF") or len(head) < 64:
        raise ProgramError(f"{path}: neither a Linux program (ELF) nor a script with a #! line")
    kind, machine = struct.unpack_from("<HH", head, 16)
    if head[4] != 2:
        raise ProgramError(
            f"{path}: is a 32-bit program; only 64-bit x86 is recorded (build it -m64)"
        )
    if machine != _X86_64 or head[5] != 1:
        name = _MACHINES.get(machine, f"machine {machine}")
        raise ProgramError(f"{path}: is built for {name}; only 64-bit x86 is recorded")
    if kind not in (_ET_EXEC, _ET_DYN):
        raise ProgramError(f"{path}: is an object file or core, not a program")


def _check_loader(path: Path, head: bytes, static: str) -> None:
    if _PT_INTERP not in _segment_kinds(head):
        raise ProgramError(f"{path}: {static}")


def _segment_kinds(head: bytes) -> set[int]:
    (table,) = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    offsets = (table + index * size for index in range(count))
    return {struct.unpack_from("<I", head, at)[0] for at in offsets if at + 4 <= len(head)}
