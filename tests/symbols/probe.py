"""Compiling small programs and asking the symbols probe about them."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# DWARF's numbers of the x86-64 registers.
REGISTERS = {
    name: number
    for number, name in enumerate(["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"])
} | {f"r{number}": number for number in range(8, 16)}


def run(*command: str | Path, stdin: str = "", env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | (env or {}),
        timeout=600,
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stderr}"
    return done.stdout


@cache
def probe_path() -> Path:
    """The probe of native/core/symbols, built on first use."""
    if given := os.environ.get("HEAPSTORY_SYMBOLS_PROBE"):
        return Path(given)
    source, build = ROOT / "native/core/symbols", ROOT / "build/symbols"
    build.mkdir(parents=True, exist_ok=True)
    with (build / "lock").open("w") as lock:  # tests may run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        run("cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", build, "--target", "symbols_probe", "-j2")
    return build / "symbols_probe"


def ask(
    program: Path, *questions: str, more: tuple[Path, ...] = (), env: dict[str, str] | None = None
) -> list[Any]:
    text = run(probe_path(), program, *more, stdin="".join(f"{q}\n" for q in questions), env=env)
    return [json.loads(line) for line in text.splitlines()]


def compile_program(folder: Path, source: str, name: str, *command: str) -> Path:
    """Writes and compiles a source; the compiler and its options are the command."""
    path, program = folder / name, folder / Path(name).stem
    path.write_text(source)
    run(*command, path, "-o", program)
    return program


def instructions(program: Path) -> list[tuple[str, int, str]]:
    """(function, address, text) of every instruction of .text, in order."""
    listing = run("objdump", "-d", "-j", ".text", "--no-show-raw-insn", "-Mintel", program)
    found, function = [], ""
    for line in listing.splitlines():
        if match := re.match(r"[0-9a-f]+ <(.*)>:", line):
            function = match[1]
        elif match := re.match(r"\s+([0-9a-f]+):\s+(.*)", line):
            found.append((function, int(match[1], 16), re.sub(r"\s+", " ", match[2]).strip()))
    return found


def first_receiver(following: list[str]) -> str:
    """Where the result goes first, as the recorder would say it, from the disassembly."""
    for text in following:
        if (match := re.match(r"mov (\w+),rax$", text)) and match[1] in REGISTERS:
            return f"register {REGISTERS[match[1]]} 0"
        if match := re.match(r"mov QWORD PTR \[rip.*\],rax # ([0-9a-f]+)", text):
            return f"global {match[1]}"
        if match := re.match(r"mov QWORD PTR ds:0x([0-9a-f]+),rax", text):
            return f"global {match[1]}"
        match = re.match(r"mov QWORD PTR \[(\w+)(?:([+-])0x([0-9a-f]+))?\],rax", text)
        if match and match[1] in REGISTERS:
            offset = int(match[3] or "0", 16) * (-1 if match[2] == "-" else 1)
            return f"memory {REGISTERS[match[1]]} {offset}"
        if re.match(r"call|ret|leave|jmp", text):
            break
    return "register 0 0"


def receivers(program: Path, callees: str) -> list[tuple[str, str]]:
    """(function, question) for every call of an allocator."""
    code = instructions(program)
    questions = []
    for i, (function, _, text) in enumerate(code[:-1]):
        if re.match(rf"call .*<({callees})(@plt)?>", text):
            receiver = first_receiver([t for _, _, t in code[i + 1 : i + 12]])
            questions.append((function, f"receiver {code[i + 1][1]:x} {receiver}"))
    return questions
