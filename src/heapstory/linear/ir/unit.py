"""What is compiled of a file: itself, or a small program that includes it.

A header is included. C++ is tried with several standards. Files beside the headers that a file
includes (``node.c`` for ``node.h``) are added, since its functions may call what is in them.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from heapstory.cfront.frontend import compile_file
from heapstory.errors import UsageError
from heapstory.linear.ir import absent
from heapstory.linear.ir.absent import Absent

_C = (".c", ".i")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".tpp", ".ipp")
_SOURCES = (".c", ".cc", ".cpp", ".cxx")
_STANDARDS = ("-std=gnu++17", "-std=gnu++20", "-std=gnu++11")
_CPLUSPLUS = re.compile(
    r"^[ \t]*(?:template[ \t]*<|namespace\b|class[ \t]+\w|using[ \t]+\w|#[ \t]*include[ \t]*<\w+>)"
    r"|\bstd::|\bconstexpr\b|\bnoexcept\b",
    re.MULTILINE,
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+\.h\w*)>)', re.MULTILINE)
# libstdc++ otherwise reads two atomic counters of a shared pointer in one piece.
_COUNTS_APART = "-D_GLIBCXX_TSAN=1"
MOST_FILES = 12
MOST_ABOVE = 3
MOST_DEEP = 8  # folders above a file in a project
MOST_FOLDERS = 2000
# What lies at the top of a project.
_PROJECT = (".git", "README.md", "README", "CMakeLists.txt", "LICENSE", "include", "src")
_MADE_UP = "heapstory-"  # in the names of programs about a file
_MISSING = re.compile(r"'([^']+)' file not found")
# gcc takes atomic operations on any object; this header makes clang do so.
_NOT_ATOMIC = re.compile(r"must be a pointer to _Atomic type")
_LOOSE = "heapstory_loose_atomics.h"
# What newer compilers say of the processor.
_NO_SIZES = re.compile(r"'hardware_(?:de|con)structive_interference_size'")
_LINE_SIZES = ("-D__GCC_DESTRUCTIVE_SIZE=64", "-D__GCC_CONSTRUCTIVE_SIZE=64")
OWN_HEADERS = Path(__file__).parents[1] / "include"
_BEFORE_C = "".join(
    f"#include <{name}.h>\n"
    for name in (
        "assert", "errno", "limits", "pthread", "stdatomic", "stdbool", "stddef", "stdint", "stdio",
        "stdlib", "string",
    )
)  # fmt: skip
_BEFORE_CPLUSPLUS = "".join(
    f"#include <{name}>\n"
    for name in (
        "algorithm", "array", "atomic", "cassert", "cerrno", "condition_variable", "cstddef",
        "cstdint", "cstdlib", "cstring", "functional", "limits", "memory", "mutex", "new",
        "stdexcept", "thread", "utility", "vector",
    )
)  # fmt: skip
_SWITCHES = re.compile(
    r"^[ \t]*#[ \t]*if(?:def|[ \t]+defined)\b[ \t(]*(\w+_IMPLEMENTATION)\b", re.MULTILINE
)
_DEFINED = re.compile(r"\b(\w+)[ \t]*\(([^;{}()]*)\)\s*\{")
_MAIN = re.compile(r"\bmain[ \t]*\(")


@dataclass(frozen=True)
class Compiled:
    """The LLVM IR, the program that was compiled ('': the file itself), and its options."""

    ir: str
    program: str
    options: tuple[str, ...]
    absent: Absent | None = None  # what was left out


def is_header(path: str) -> bool:
    """Whether a file is made to be included, by its name."""
    return Path(path).suffix in _HEADERS


def is_cplusplus(path: str) -> bool:
    """Whether a file is C++: by its name, and a ``.h`` by what is in it."""
    if Path(path).suffix != ".h":
        return Path(path).suffix not in _C
    text = _text(path)
    return "__cplusplus" not in text and _CPLUSPLUS.search(_COMMENT.sub("", text)) is not None


def including(path: str, others: tuple[Path, ...] = ()) -> str:
    """A program that includes a file, and others behind it."""
    return "".join(f'#include "{each}"\n' for each in (Path(path).resolve(), *others))


def own_files(path: str) -> list[Path]:
    """A file and the headers that it includes by a path of their own, and so on."""
    files = [Path(path).resolve()]
    for file in files:
        for name, angled in _INCLUDED.findall(_text(str(file))):
            header = (file.parent / (name or angled)).resolve()
            if not header.is_file() and name:
                folder = _folder_of(name, path)
                header = (folder / name).resolve() if folder else header
            elif not header.is_file():
                above = (each / angled for each in file.parents[1:MOST_ABOVE])
                header = next((each.resolve() for each in above if each.is_file()), header)
            if header.is_file() and header not in files and len(files) < MOST_FILES:
                files.append(header)
    return files


def implementations(path: str) -> tuple[str, ...]:
    """Options for what headers define in one file of a program only: where it says so."""
    texts = (_text(str(file)) for file in own_files(path))
    names = chain.from_iterable(_SWITCHES.findall(text) for text in texts)
    return tuple(f"-D{name}" for name in dict.fromkeys(names))


def beside(path: str) -> tuple[Path, ...]:
    """The files that belong to headers which a file includes."""
    own, *headers = own_files(path)
    found = [h.with_suffix(s) for h in headers for s in _SOURCES]
    some = [f for f in dict.fromkeys(found) if f.is_file() and f not in (own, *headers)]
    return tuple(f for f in some if not _MAIN.search(_text(str(f))))


def defining(path: str, functions: set[str]) -> tuple[Path, ...]:
    """Files that lie beside a file, include a header as it does, and define some functions."""
    own, *headers = own_files(path)
    names = {header.name for header in headers}
    found = []
    for file in sorted(f for f in own.parent.iterdir() if f.suffix in _SOURCES and f != own):
        text = _COMMENT.sub("", _text(str(file)))
        shares = names & {Path(name or angled).name for name, angled in _INCLUDED.findall(text)}
        defined = {name for name, _ in _DEFINED.findall(text)}
        if shares and functions & defined and not _MAIN.search(text):
            found.append(file)
    return tuple(found)


def compiled(path: str, options: tuple[str, ...], program: str = "") -> Compiled:
    """Compile a file, or a program about it, with the first standard that it accepts."""
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    program = program or (including(path) if is_header(path) else "")
    first: UsageError | None = None
    # A header may rely on what its users include before it.
    before = _BEFORE_CPLUSPLUS if is_cplusplus(path) else _BEFORE_C
    for text in (program, before + program) if is_header(path) else (program,):
        for more in _standards(path, options):
            try:
                return _compiled(path, (*options, *more), text)
            except UsageError as error:
                first = error if first is None or is_made_up(error) else first
                if "file not found" in str(error):
                    raise
    assert first is not None
    raise first


def is_made_up(error: UsageError) -> bool:
    """Whether an error is in a program about a file: the file itself can be compiled."""
    return Path(str(error).partition(":")[0]).name.startswith(_MADE_UP)


def _loosely() -> tuple[str, ...]:
    return (f"-I{OWN_HEADERS}", "-include", _LOOSE)


def _compiled(path: str, options: tuple[str, ...], program: str) -> Compiled:
    """Compile; a folder above or beside the file is searched for headers that are not found. Those
    that are nowhere are left out, with what needs them."""
    left_out = Absent()
    first: UsageError | None = None
    while True:
        try:
            whole = (*options, *left_out.options())
            return Compiled(_ir(path, whole, program), program, whole, left_out)
        except UsageError as error:
            more = _needed(path, options, str(error))
            missing = _MISSING.search(str(error))
            if more:
                options = (*options, *more)
            elif missing and left_out.without(missing.group(1)):
                first = first or error
            elif not left_out.cut(str(error)):
                raise (error if is_made_up(error) else first or error) from None


def _needed(path: str, options: tuple[str, ...], error: str) -> tuple[str, ...]:
    """Options without which a file was not compiled."""
    missing = _MISSING.search(error)
    folder = _folder_of(missing.group(1), path) if missing else None
    if _NOT_ATOMIC.search(error) and not is_cplusplus(path):
        more = _loosely()
    elif _NO_SIZES.search(error):
        more = _LINE_SIZES
    else:
        more = (f"-I{folder}",) if folder else ()
    return () if set(more) <= set(options) else more


def _folder_of(header: str, path: str) -> Path | None:
    """The nearest folder that has a header: above the file or beside those, or anywhere in its
    project."""
    above = list(Path(path).resolve().parents)
    for each in above[:MOST_ABOVE]:
        for folder in (each, *sorted(f for f in each.iterdir() if f.is_dir())):
            if (folder / header).is_file():
                return folder
        if _is_project(each):
            break
    project = project_of(path)
    for number, (name, inner, _) in enumerate(os.walk(project) if project else ()):
        inner[:] = sorted(f for f in inner if f[0] != "." and not f.startswith(absent.PREFIX))
        if (Path(name) / header).is_file():
            return Path(name)
        if number == MOST_FOLDERS:
            break
    return None


def about(path: str) -> str:
    """What is written of a file: in itself, in the header that belongs to it, and in the texts that
    lie beside it or above."""
    file = Path(path).resolve()
    beside = [file, *(file.with_suffix(suffix) for suffix in _HEADERS)]
    top = [folder / "README.md" for folder in file.parents[:MOST_ABOVE]]
    readme = next((each for each in top if each.is_file()), file)
    return "\n".join(_text(str(each)) for each in dict.fromkeys([*beside, readme]))


def project_of(path: str) -> Path | None:
    """The folder of the project that a file is in: where it is checked out, or else the outermost
    one that looks like it."""
    above = list(Path(path).resolve().parents)[:MOST_DEEP]
    checked_out = next((each for each in above if (each / ".git").exists()), None)
    return checked_out or next((each for each in reversed(above) if _is_project(each)), None)


def _is_project(folder: Path) -> bool:
    return any((folder / name).exists() for name in _PROJECT)


def _standards(path: str, options: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    given = any(option.startswith(("-std=", "--std=")) for option in options)
    if given or not is_cplusplus(path):
        yield ()
        return
    for standard in _STANDARDS:
        yield (standard,)


def _ir(path: str, options: tuple[str, ...], program: str) -> str:
    if is_cplusplus(path):
        options = (_COUNTS_APART, *options)
    if not program:
        return compile_file(path, options)
    suffix = ".cc" if is_cplusplus(path) else ".c"
    with tempfile.NamedTemporaryFile("w", suffix=suffix, prefix=_MADE_UP) as file:
        file.write(program)
        file.flush()
        return compile_file(file.name, options)


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
