"""Damaged traces before a core that was built with AddressSanitizer and UBSan (`make sanitize`).

sanitized.py CORE COPIES                    all modes, cut and flipped, so many copies of each
sanitized.py CORE TRACE cut|flip COUNT SEED one of them, as damage.py does it
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import product
from pathlib import Path


def load(core: str) -> None:
    """Puts the core in the place of the installed one, which must not have been imported."""
    spec = spec_from_loader("heapstory._core", ExtensionFileLoader("heapstory._core", core))
    assert spec and spec.loader and "heapstory" not in sys.modules
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)


def runtime(name: str) -> str:
    asked = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True)
    return asked.stdout.strip()


def main(core: str, copies: str) -> None:
    from tests.conftest import COMMAND
    from tests.trace.test_damage import BUSY

    environment = {
        **os.environ,
        "LD_PRELOAD": f"{runtime('libasan.so')} {runtime('libubsan.so')}",
        "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter's own
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "busy.c"), Path(folder, "busy")
        source.write_text(BUSY)
        subprocess.run(["gcc", "-g", "-o", program, source], check=True)
        for mode in ("alloc", "portable", "internals"):
            trace = f"{folder}/{mode}.story"
            record = [COMMAND, "record", "--mode", mode, "-o", trace, "--", program]
            subprocess.run(record, check=True)
        for mode, how in product(("alloc", "portable", "internals"), ("cut", "flip")):
            print(f"{mode}, {how}:", end=" ", flush=True)
            words = [core, f"{folder}/{mode}.story", how, copies, "1"]
            child = [sys.executable, "-m", "tests.trace.sanitized", *words]
            subprocess.run(child, env=environment, check=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(*sys.argv[1:])
    else:
        load(sys.argv.pop(1))
        from tests.trace import damage

        damage.main()
