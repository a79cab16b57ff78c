"""The memory checker for ``ctest -T memcheck``, which gives it what it would give to Valgrind."""

from __future__ import annotations

import sys

from heapstory import commands

# Options for Valgrind, which CTest adds if a project sets none; check does all of that anyway.
FOR_VALGRIND = frozenset(
    ("-q", "--tool=memcheck", "--leak-check=yes", "--show-reachable=yes", "--num-callers=50")
)
LOG = "--log-file="


def main() -> int:
    """``heapstory check`` with the words of CTest: options, all with ``=``, then the test."""
    words = sys.argv[1:]
    count = next((n for n, word in enumerate(words) if not word.startswith("-")), len(words))
    options = [word for word in words[:count] if word not in FOR_VALGRIND and word != "--"]
    logs = [
        f"--memcheck-log={word.removeprefix(LOG)}" if word.startswith(LOG) else word
        for word in options
    ]
    return commands.main(["check", *logs, "--", *words[count:]])


if __name__ == "__main__":
    sys.exit(main())
