"""Lines, functions, variables and types of ELF files, against independent readers."""

from __future__ import annotations

import json
import os.path
import re
import shutil
from pathlib import Path

import pytest

from tests.symbols.probe import ask, compile_program, instructions, run

INLINED = r"""
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
struct node *head;
static int count = 3;
static inline __attribute__((always_inline)) int inner(int x)
{
    printf("%d\n", x);
    return x * 2;
}
static inline __attribute__((always_inline)) int outer(int x)
{
    static int calls;
    calls++;
    if (x > 2)
        return inner(x + 1) + calls;
    return inner(x);
}
__attribute__((noinline)) int twice(int x)
{
    int y = outer(x);
    return y + outer(x + count++);
}
int main(int argc, char **argv)
{
    struct node *n = malloc(sizeof *n);
    n->next = head;
    head = n;
    n->value = twice(argc) + outer(4);
    return argv[0][0] == 0 ? n->value : 0;
}
"""

TEMPLATES = r"""
#include <algorithm>
#include <list>
#include <map>
#include <string>
#include <vector>
namespace shop {
namespace { int hidden = 3; }
template <class T> struct Shelf {
    std::vector<T> things;
    static int shelves;
    void put(const T &t) { things.push_back(t); ++shelves; ++hidden; }
};
template <class T> int Shelf<T>::shelves = 0;
std::map<std::string, Shelf<int>> all;
}
int calls() { static int made = 0; return ++made; }
int main()
{
    shop::all["a"].put(calls());
    shop::all["a"].put(2);
    auto &things = shop::all["a"].things;
    std::sort(things.begin(), things.end(), [](int a, int b) { return a > b; });
    std::list<double> values(things.begin(), things.end());
    return values.size() == 2 ? 0 : 1;
}
"""

COMPILERS = [
    f"{compiler} -gdwarf-{dwarf} {options}"
    for compiler in ("gcc", "clang")
    for dwarf in (4, 5)
    for options in ("-O0", "-O2", "-O2 -fno-pie -no-pie")
]


def symbolized(program: Path, addresses: list[int]) -> list[list[tuple[str, str, int]]]:
    """What llvm-symbolizer says: (function, path, line), innermost first."""
    text = run(
        "llvm-symbolizer", f"--obj={program}", "--inlines", "--output-style=JSON",
        stdin="".join(f"{a:#x}\n" for a in addresses),
    )  # fmt: skip
    return [
        [
            (s["FunctionName"], s["FileName"] and os.path.normpath(s["FileName"]), s["Line"])
            for s in json.loads(line)["Symbol"]
            if s["FunctionName"] or s["Line"]
        ]
        for line in text.splitlines()
        if line
    ]


def places(program: Path, addresses: list[int]) -> list[list[tuple[str, str, int]]]:
    return [
        [(f, p, line) for f, p, line in answer]
        for answer in ask(program, *(f"places {a:x}" for a in addresses))
    ]


def own_code(program: Path) -> list[int]:
    start_up = ("_start", "deregister_tm_clones", "register_tm_clones", "frame_dummy")
    return [
        address
        for function, address, _ in instructions(program)
        if function not in start_up and not function.startswith(("__do_global", "_dl_relocate"))
    ]


@pytest.mark.parametrize("command", COMPILERS)
def test_places_of_c(tmp_path: Path, command: str) -> None:
    program = compile_program(tmp_path, INLINED, "inlined.c", *command.split())
    addresses = own_code(program)
    answers = places(program, addresses)
    assert answers == symbolized(program, addresses)
    assert max(map(len, answers)) == 3


@pytest.mark.parametrize("command", [c for c in COMPILERS if "no-pie" not in c])
def test_places_of_cpp(tmp_path: Path, command: str) -> None:
    words = command.replace("gcc", "g++").replace("clang", "clang++").split()
    program = compile_program(tmp_path, TEMPLATES, "templates.cpp", *words)
    addresses = own_code(program)
    ours, theirs = places(program, addresses), symbolized(program, addresses)

    def plain(place: tuple[str, str, int]) -> tuple[str, str, int]:
        # Demanglers spell lambdas, blanks and abbreviations differently, and llvm's gives up on
        # some names of the library.
        name = re.sub(r"\[abi:\w+\]", "", place[0])
        if "operator" in name or not place[1].endswith("templates.cpp"):
            return ("", *place[1:])
        for _ in range(20):
            name = re.sub(r"<[^<>]*>|\([^()]*\)|\[[^\]]*\]|\{[^{}]*\}", "", name)
        return (re.sub(r"\.\w+$| const$", "", name.strip()).split("::")[-1].strip(), *place[1:])

    assert len(addresses) > 1000
    different = [
        (hex(a), o, t)
        for a, o, t in zip(addresses, ours, theirs, strict=True)
        if [plain(p) for p in o] != [plain(p) for p in t]
    ]
    assert not different, different[:3]


@pytest.mark.parametrize("options", ["-gz", "-gsplit-dwarf", "-fdebug-types-section", "-flto"])
def test_places_of_unusual_files(tmp_path: Path, options: str) -> None:
    program = compile_program(tmp_path, INLINED, "inlined.c", "gcc", "-g", "-O2", options)
    addresses = own_code(program)
    answers = places(program, addresses)
    theirs = symbolized(program, addresses)
    if options == "-flto":  # llvm-symbolizer 14 does not follow references between units
        answers = [[(f, p, n) for f, p, n in a if f] for a in answers]
        assert {p[0] for a in answers for p in a} >= {"inner", "outer", "main"}
    else:
        assert answers == theirs


def test_functions(tmp_path: Path) -> None:
    program = compile_program(tmp_path, INLINED, "inlined.c", "gcc", "-g", "-O2")
    symbols = [line.split() for line in run("nm", "-S", program).splitlines()]
    wanted = [(w[3], int(w[0], 16), int(w[1], 16)) for w in symbols if len(w) == 4 and w[2] in "tT"]
    assert ("twice" in [w[0] for w in wanted]) and ("main" in [w[0] for w in wanted])
    for name, address, size in wanted:
        if name != "_start":
            for inside in (address, address + size - 1):
                assert ask(program, f"function {inside:x}") == [[name, address, size]]
    assert ask(program, "function 10", "places 10", "function ffffffffffffffff") == [None, [], None]


def test_stripped_file_and_its_debug_file(tmp_path: Path) -> None:
    program = compile_program(
        tmp_path, INLINED, "inlined.c", "gcc", "-g", "-O2", "-rdynamic", "-Wl,--build-id"
    )
    addresses = own_code(program)
    full = places(program, addresses)
    (info,) = ask(program, "info")
    build_id = info["build_id"]
    assert re.search(r"Build ID: (\w+)", run("readelf", "-n", program))[1] == build_id  # type: ignore[index]

    stripped = tmp_path / "stripped"
    run("strip", program, "-o", stripped)
    (info,) = ask(stripped, "info")
    assert (info["build_id"], info["debug"]) == (build_id, False)
    assert {p[0] for a in places(stripped, addresses) for p in a} == {"main", "twice"}
    assert all(line == 0 for a in places(stripped, addresses) for _, _, line in a)

    debug = tmp_path / "debug/.build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    debug.parent.mkdir(parents=True)
    run("objcopy", "--only-keep-debug", program, debug)
    env = {"HEAPSTORY_DEBUG_PATH": str(tmp_path / "debug")}
    answers = ask(stripped, *(f"places {a:x}" for a in addresses), env=env)
    assert [[tuple(p) for p in a] for a in answers] == full
    names = [v[0] for v in ask(stripped, "variables", env=env)[0]]
    assert {"head", "count", "outer::calls"} <= set(names)


@pytest.mark.parametrize("build_id", ["sha1", "none"])
def test_debug_link(tmp_path: Path, build_id: str) -> None:
    program = compile_program(
        tmp_path, INLINED, "inlined.c", "gcc", "-g", "-O2", f"-Wl,--build-id={build_id}"
    )
    addresses = own_code(program)
    full = places(program, addresses)
    (tmp_path / ".debug").mkdir()
    debug = tmp_path / ".debug/inlined.debug"
    run("objcopy", "--only-keep-debug", program, debug)
    run("strip", program)
    run("objcopy", f"--add-gnu-debuglink={debug}", program)
    assert places(program, addresses) == full
    # A debug file of another build is not believed.
    other = compile_program(tmp_path, INLINED + "int more;", "other.c", "gcc", "-g", "-O1")
    shutil.copy(other, debug)
    assert not ask(program, "info")[0]["debug"]


def test_dwz(tmp_path: Path) -> None:
    first = compile_program(tmp_path, TEMPLATES, "first.cpp", "g++", "-g", "-O1")
    second = compile_program(tmp_path, TEMPLATES, "second.cpp", "g++", "-g", "-O1")
    addresses = own_code(first)
    before = places(first, addresses), ask(first, "variables")
    run("dwz", "-m", tmp_path / "common.debug", first, second)
    assert ".gnu_debugaltlink" in run("readelf", "-S", first)
    assert places(first, addresses) == before[0]
    assert [v[:4] for v in ask(first, "variables")[0]] == [v[:4] for v in before[1][0]]


def test_what_is_no_elf_file(tmp_path: Path) -> None:
    magic, text = tmp_path / "magic", tmp_path / "text"
    magic.write_bytes(b"\x7fELF")
    text.write_text("#!/bin/sh\n")
    for path in (magic, text, tmp_path, tmp_path / "missing", Path("/dev/null")):
        with pytest.raises(AssertionError, match=r"not an ELF file|No such file"):
            ask(path, "info")


GLOBALS = r"""
#include <stdio.h>
struct pair { long a, b; };
int zeroed[10]; int set = 1; const int constant = 2; static struct pair pairs[3];
__thread int thread_local_one; extern int set_alias __attribute__((alias("set")));
int *pointer = &set; static const char *const name = "x"; const char *words[] = {"a", "b"};
int next(void) { static long made = 1; static int zero; zero++; return made++ + pairs[zero].a; }
int main(void) { fprintf(stdout, "%d%s\n", next() + thread_local_one + constant, name); return 0; }
"""


@pytest.mark.parametrize(
    "command", ["gcc -g", "clang -g", "gcc -g -O2 -no-pie", "clang -gdwarf-4 -O2"]
)
def test_variables(tmp_path: Path, command: str) -> None:
    program = compile_program(tmp_path, GLOBALS, "globals.c", *command.split())
    found = {v[0]: tuple(v[1:4]) for v in ask(program, "variables")[0]}
    symbols = [line.split() for line in run("nm", "-S", program).splitlines()]
    wanted = {
        re.sub(r"@.*", "", w[3]): (int(w[0], 16), int(w[1], 16))
        for w in symbols
        if len(w) == 4 and w[2] in "dDbB"
    }
    types = {
        "zeroed": "int[10]", "set": "int", "pairs": "struct pair[3]", "pointer": "int *",
        "words": "char *[2]", "next::made": "long", "next::zero": "int",
        "stdout": "struct _IO_FILE *",
    }  # fmt: skip
    addresses = dict(wanted.items())
    for name, type_name in types.items():
        short = name.split("::")[-1]
        symbol = next((s for s in addresses if re.fullmatch(rf"(next\.)?{short}(\.\d+)?", s)), None)
        if symbol is None and ("-O2" in command or name == "stdout"):  # optimised away, no copy
            continue
        assert found[name] == (*wanted[symbol], type_name), name  # type: ignore[index]
    assert not {"constant", "thread_local_one", "set_alias"} & set(found)
    listed = ask(program, "variables")[0]
    assert [v[1] for v in listed] == sorted({v[1] for v in listed})


def test_variables_of_stripped_files(tmp_path: Path) -> None:
    program = compile_program(tmp_path, GLOBALS, "globals.c", "gcc", "-rdynamic", "-s")
    found = {v[0]: v[2] for v in ask(program, "variables")[0]}
    assert found == {"zeroed": 40, "set": 4, "pointer": 8, "words": 16, "stdout": 8}


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_variables_of_cpp(tmp_path: Path, compiler: str) -> None:
    program = compile_program(tmp_path, TEMPLATES, "templates.cpp", compiler, "-g")
    found = {v[0]: v[3] for v in ask(program, "variables")[0]}
    assert found["shop::(anonymous namespace)::hidden"] == "int"
    assert found["shop::Shelf<int>::shelves"] == "int"
    assert found["calls::made"] == "int"
    assert found["shop::all"].startswith("std::map<std::")
