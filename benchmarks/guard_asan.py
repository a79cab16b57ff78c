#!/usr/bin/env python3
"""What ``heapstory guard`` finds of AddressSanitizer's own test cases, which it was not made with.

    apt-get source --download-only llvm-toolchain-14
    tar xJf llvm-toolchain-14_14.0.6.orig.tar.xz --wildcards '*/compiler-rt/test/asan/TestCases/*'
    python3 -m benchmarks.guard_asan llvm-toolchain-14_14.0.6/compiler-rt/test/asan/TestCases

Each case is built with AddressSanitizer and run: what that reports on this machine is what counts.
Cases with an error of allocation are then built plainly and guarded. Needs the Debian packages
clang-14 and libclang-rt-14-dev.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.support.measure import machine, revision
from benchmarks.support.page import table

REPOSITORY = Path(__file__).resolve().parent.parent
HEAPSTORY = Path(sys.executable).with_name("heapstory")
LIMIT = 20  # seconds of one run
# What AddressSanitizer calls them, and what the guard does.
KINDS = {
    "heap-buffer-overflow": {"broken-fence", "bad-pattern-at-crash", "unaddressable-write",
                             "unaddressable-read"},
    "heap-use-after-free": {"written-after-free", "bad-pattern-at-crash", "unaddressable-write",
                            "unaddressable-read"},
    "attempting double-free": {"double-free"},
    "attempting free": {"bad-free"},
    "attempting realloc": {"bad-realloc"},
    "alloc-dealloc-mismatch": {"mismatched-free"},
    "detected memory leaks": {"leak"},
}  # fmt: skip
MODES = {"default": [], "thorough": ["--thorough"], "page guards": ["--page-guard", "main"]}


def built(source: Path, to: Path, *flags: str) -> bool:
    compiler = "clang-14" if source.suffix == ".c" else "clang++-14"
    words = [compiler, "-O0", "-g", "-w", *flags, str(source), "-o", str(to), "-pthread", "-ldl"]
    return subprocess.run(words, capture_output=True).returncode == 0


def run(words: list[str]) -> str:
    try:
        done = subprocess.run(words, capture_output=True, timeout=LIMIT, errors="replace",
                              stdin=subprocess.DEVNULL)  # fmt: skip
    except subprocess.TimeoutExpired:
        return ""
    return done.stderr


def expected(source: Path, folder: Path) -> str | None:
    """What AddressSanitizer says of a case: a kind, with READ or WRITE where it says so."""
    program = folder / f"{source.stem}.asan"
    if not built(source, program, "-fsanitize=address"):
        return None
    said = run([str(program)])
    kind = next((kind for kind in KINDS if f"Sanitizer: {kind}" in said), None)
    access = re.search(r"^(READ|WRITE) of size", said, re.MULTILINE)
    return f"{kind}, {access[1].lower()}" if kind and access else kind


def found(source: Path, folder: Path, kind: str) -> list[bool] | None:
    """Whether each mode finds it; None if it cannot be built without AddressSanitizer."""
    program, answer = folder / source.stem, folder / f"{source.stem}.json"
    if not built(source, program):
        return None
    made = []
    for options in MODES.values():
        run([str(HEAPSTORY), "guard", *options, "--json", str(answer), "--", str(program)])
        findings = json.loads(answer.read_text())["findings"] if answer.exists() else []
        made.append(bool({each["kind"] for each in findings} & KINDS[kind.split(", ")[0]]))
        answer.unlink(missing_ok=True)
    return made


def measure(source: Path) -> tuple[Path, str | None, list[bool] | None]:
    with tempfile.TemporaryDirectory() as work:
        kind = expected(source, Path(work))
        return source, kind, found(source, Path(work), kind) if kind else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="compiler-rt/test/asan/TestCases")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    print(f"{machine()}, {revision(REPOSITORY)}\n", file=sys.stderr)
    folders = (args.folder, args.folder / "Linux", args.folder / "Posix")
    cases = sorted(file for folder in folders for file in folder.glob("*.c*") if file.is_file())
    counts: dict[str, list[list[bool]]] = defaultdict(list)
    needing = []
    with ThreadPoolExecutor(args.jobs) as pool:
        for source, kind, modes in pool.map(measure, cases):
            if kind is None:
                continue
            if modes is None:
                needing.append(source.name)
                continue
            counts[kind].append(modes)
            if not any(modes):
                print(f"not found: {kind}: {source.name}", file=sys.stderr)
    rows = [
        [kind, len(each), *(sum(column) for column in zip(*each, strict=True))]
        for kind, each in sorted(counts.items())
    ]
    print(table(["what", "cases", *MODES], [[str(cell) for cell in row] for row in rows]))
    print(f"of {len(cases)} files; cannot be built without AddressSanitizer: {len(needing)}")


if __name__ == "__main__":
    main()
