"""Translates the hot modules of the C front and the static analysis to C with mypyc.

Usage: translate.py DIRECTORY MODULE...   (in src; modules as paths below heapstory)

DIRECTORY then holds one C file for every module, one for what they share, one for mypyc's runtime,
and the small extensions that Python imports in place of the sources. A file that would not change
is left alone.
"""

from __future__ import annotations

import sys

from mypyc.build import generate_c_extension_shim, mypyc_build, write_file
from mypyc.common import RUNTIME_C_FILES
from mypyc.options import CompilerOptions

GROUP = "heapstory_static"


def main(directory: str, modules: list[str]) -> None:
    """Translate the modules."""
    paths = [f"heapstory/{module}.py" for module in modules]
    options = CompilerOptions(multi_file=True, target_dir=directory, group_name=GROUP)
    checks = ["--config-file=", "--strict", "--ignore-missing-imports", "--follow-imports=silent"]
    _, _, needed = mypyc_build([*checks, *paths], options, only_compile_paths=paths)
    runtime = [*RUNTIME_C_FILES, *(each.path for each in needed)]
    write_file(f"{directory}/runtime.c", "".join(f"#include <{name}>\n" for name in runtime))
    for module in modules:
        name = f"heapstory.{module.replace('/', '.')}"
        generate_c_extension_shim(name, name.rsplit(".", 1)[1], directory, GROUP)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
