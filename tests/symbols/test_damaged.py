"""Files that are damaged, deleted or rewritten: no crash, no hang, no wrong answer."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.symbols.probe import ask, compile_program, instructions, probe_path, receivers, run
from tests.symbols.test_symbols import INLINED
from tests.symbols.test_types import OBJECTS, RECEIVERS

PROGRAMS = {
    "gcc5": (RECEIVERS, "receivers.c", "gcc -gdwarf-5 -O2"),
    "clang4": (INLINED, "inlined.c", "clang -gdwarf-4 -O2"),
    "compressed": (INLINED, "inlined.c", "gcc -g -gz -O1"),
    "cpp": (OBJECTS, "objects.cpp", "g++ -gdwarf-4 -O1"),
}
INTERESTING = r"\.debug_.*|\.eh_frame|\.symtab|\.strtab|\.dynsym|\.note\.gnu\.build-id|\.text"


def sections(program: Path) -> list[tuple[int, int]]:
    found = []
    for line in run("readelf", "-SW", program).splitlines():
        match = re.match(r"\s*\[ *\d+\] (\S+)\s+\S+\s+\w+ (\w+) (\w+)", line)
        if match and re.fullmatch(INTERESTING, match[1]) and int(match[3], 16):
            found.append((int(match[2], 16), int(match[3], 16)))
    return found


def damaged(data: bytes, parts: list[tuple[int, int]], rng: random.Random) -> bytes:
    kind = rng.random()
    if kind < 0.15:
        return data[: rng.randrange(len(data))]
    changed = bytearray(data)
    if kind < 0.3:  # ELF header, section headers
        for _ in range(rng.randrange(1, 6)):
            place = rng.randrange(64) if rng.random() < 0.5 else len(data) - 1 - rng.randrange(2400)
            changed[place] = rng.randrange(256)
    else:
        start, length = rng.choice(parts)
        for _ in range(rng.choice([1, 2, 4, 16])):
            place = start + rng.randrange(length)
            changed[place] = rng.choice([changed[place] ^ (1 << rng.randrange(8)), 0, 0x7F, 0xFF])
    return bytes(changed)


@pytest.mark.parametrize("name", PROGRAMS)
def test_damaged_files(tmp_path: Path, name: str) -> None:
    source, file, command = PROGRAMS[name]
    program = compile_program(tmp_path, source, file, *command.split())
    data, parts, rng = program.read_bytes(), sections(program), random.Random(name)
    code = [address for _, address, _ in instructions(program)]
    questions = ["info", "variables", "types"]
    questions += [f"{verb} {a:x}" for a in code[::9] for verb in ("places", "function")][:200]
    questions += [question for _, question in receivers(program, "malloc|wrapper|_Znwm")]
    text = "".join(f"{q}\n" for q in questions)
    victim = tmp_path / "victim"
    answered = 0
    for number in range(100):
        victim.write_bytes(damaged(data, parts, rng))
        done = subprocess.run(
            [probe_path(), victim],
            input=text.encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode in (0, 1), f"mutation {number} of {name}: {done.stderr.decode()}"
        answered += done.returncode == 0
    assert answered > 50


class Session:
    """The probe with a file kept open."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen(
            [probe_path(), program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, question: str) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0


def test_a_deleted_file_still_answers(tmp_path: Path) -> None:
    program = compile_program(tmp_path, INLINED, "inlined.c", "gcc", "-g", "-O0")
    address = next(a for f, a, _ in instructions(program) if f == "main")
    expected = ask(program, f"places {address:x}", "variables")
    with Session(program) as session:
        assert session.ask("types") == 0  # opened, nothing read yet
        program.unlink()
        assert [session.ask(f"places {address:x}"), session.ask("variables")] == expected


@pytest.mark.parametrize("length", [0, 5000, None])
def test_a_file_rewritten_in_place_is_not_believed(tmp_path: Path, length: int | None) -> None:
    program = compile_program(tmp_path, INLINED, "inlined.c", "gcc", "-g", "-O0")
    address = next(a for f, a, _ in instructions(program) if f == "main")
    data = program.read_bytes()
    with Session(program) as session:
        assert session.ask(f"places {address:x}")[0][0] == "main"
        with program.open("r+b") as file:
            file.truncate(0)
            file.write(data[:length] if length is not None else bytes(len(data)))
        assert session.ask(f"places {address + 4:x}") in ([], [["main", "", 0]])
        assert session.ask("info")["debug"] is False
