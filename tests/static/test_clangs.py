"""Every version of clang that is installed here leads to the same findings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.static.twin import FOLDER

CLANGS = [name for name in ("clang", *(f"clang-{n}" for n in range(14, 41))) if shutil.which(name)]
# Forms that LLVM changed: further arguments, tables of functions, structures by value.
TWINS = ("variadic_free_all.c", "callback_by_table.c", "seq_struct_by_value.c")


@pytest.mark.parametrize("clang", CLANGS)
def test_the_same_findings(clang: str) -> None:
    for file in (FOLDER / name for name in TWINS):
        for options, expected in (["-DLEAK"], True), ([], False):
            assert _leaks(clang, file, options) == expected, (file, options)


def _leaks(clang: str, file: Path, options: list[str]) -> bool:
    done = subprocess.run(
        [
            Path(sys.executable).with_name("heapstory"),
            "leaks",
            "--json",
            "--no-cache",
            *options,
            file,
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "HEAPSTORY_CLANG": clang},
    )
    return bool(json.loads(done.stdout)["leaks"])
