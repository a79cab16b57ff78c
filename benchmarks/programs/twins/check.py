"""The truth about the twins: LeakSanitizer must see a leak with ``-DLEAK`` and none without.

``python check.py [NAME…]`` checks the named programs, or all of them. A program is one C file or a
folder of them. Where no run can show the leak the source says why (see ``UNSEEN``); such a program
must still compile, end with status 0 and be clean without ``-DLEAK``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).parent
COMPILE = ("gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-fsanitize=address")
UNSEEN = ("// needs a failing allocation", "// leaks a stream")
# With exit code 0 the sanitizer leaves the program's own status alone. When main has returned no
# frame of the program is alive: what dead frames and registers still point to is not in use.
ENVIRONMENT = {
    **os.environ,
    "ASAN_OPTIONS": "detect_leaks=1:exitcode=0",
    "LSAN_OPTIONS": "use_stacks=0:use_registers=0",
}


def programs() -> list[Path]:
    """All twins, by name."""
    return sorted({*FOLDER.glob("*.c"), *(unit.parent for unit in FOLDER.glob("*/*.c"))})


def sources(program: Path) -> list[Path]:
    """The C files of one program."""
    return sorted(program.glob("*.c")) if program.is_dir() else [program]


def leaks(program: Path, *options: str) -> bool:
    """Compile one variant, run it, and say whether LeakSanitizer reports a leak."""
    with tempfile.TemporaryDirectory() as scratch:
        binary = Path(scratch) / "program"
        command = [*COMPILE, *options, "-o", str(binary), *map(str, sources(program))]
        built = subprocess.run(command, capture_output=True, text=True)
        if built.returncode:
            raise RuntimeError(f"does not compile:\n{built.stderr}")
        run = subprocess.run(
            [binary], cwd=scratch, env=ENVIRONMENT, capture_output=True, text=True, timeout=60
        )
    if run.returncode or "ERROR: AddressSanitizer" in run.stderr:
        raise RuntimeError(f"ends with status {run.returncode}:\n{run.stderr}")
    return "LeakSanitizer: detected memory leaks" in run.stderr


def judge(program: Path) -> str:
    """``confirmed``, ``not shown by a run``, or what is wrong."""
    unseen = any(mark in unit.read_text() for unit in sources(program) for mark in UNSEEN)
    try:
        if leaks(program):
            return "wrong: leaks without -DLEAK"
        if leaks(program, "-DLEAK"):
            return "wrong: a run does show the leak" if unseen else "confirmed"
    except (RuntimeError, subprocess.TimeoutExpired) as problem:
        return f"wrong: {problem}"
    return "not shown by a run" if unseen else "wrong: no leak with -DLEAK"


def main() -> int:
    """Judge the programs and print what disagrees, then the totals."""
    chosen = [FOLDER / name for name in sys.argv[1:]] or programs()
    with ThreadPoolExecutor(max_workers=2) as pool:
        verdicts = list(pool.map(judge, chosen))
    for program, verdict in zip(chosen, verdicts, strict=True):
        if verdict.startswith("wrong"):
            print(f"{program.name}: {verdict}")
    print(dict(Counter(verdict.partition(":")[0] for verdict in verdicts)))
    return any(verdict.startswith("wrong") for verdict in verdicts)


if __name__ == "__main__":
    sys.exit(main())
