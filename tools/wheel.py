"""Makes a built wheel self-contained: the libraries it uses go in, and the tag says what is left.

    python tools/wheel.py WHEEL FOLDER

auditwheel finds the oldest glibc that will do. Fails where something else than the C library is
still needed, and where the result is too large to be fetched without a thought.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

MOST_MEGABYTES = 15


def main() -> int:
    wheel, folder = sys.argv[1], Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    # The recorder and the objects that it puts into programs are Valgrind's kind of program: they
    # use no library at all, and must not be changed.
    command = ["auditwheel", "repair", "--plat", "auto", "-w", str(folder), wheel]
    bin_folder = Path(sys.executable).parent
    subprocess.run([bin_folder / command[0], *command[1:]], check=True, env=_with(bin_folder))
    (made,) = folder.glob("*.whl")
    size = made.stat().st_size / 1e6
    print(f"{made}: {size:.1f} MB")
    if "manylinux" not in made.name:
        print("tools/wheel.py: it fits no manylinux tag", file=sys.stderr)
        return 1
    if size > MOST_MEGABYTES:
        print(f"tools/wheel.py: more than {MOST_MEGABYTES} MB", file=sys.stderr)
        return 1
    return 0


def _with(folder: Path) -> dict[str, str]:
    """An environment in which patchelf of the same folder is found."""
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


if __name__ == "__main__":
    sys.exit(main())
