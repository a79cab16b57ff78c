"""Suppressions on the command line, and Memcheck's word on those that are written."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

PLAIN = ("-O0", "-w", "-fno-builtin")
EXIT = ("--error-exitcode", "9")


@pytest.mark.parametrize("what", ["overrun", "read-freed", "twice", "unterminated"])
def test_what_is_written_is_read_by_us_and_by_memcheck(
    what: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    built, file = compile_program("checking/errors", *PLAIN), tmp_path / "all.supp"
    first = heapstory("check", *EXIT, "--gen-suppressions", file, "--no-leaks", "--", built, what)
    assert first.returncode == 9
    again = heapstory("check", *EXIT, "--suppressions", file, "--no-leaks", "--", built, what)
    assert (again.returncode, "0 errors" in again.stderr) == (3, True), file.read_text()
    other = heapstory("check", *EXIT, "--suppressions", file, "--", built, "underrun")
    assert (other.returncode, "unused suppression" in other.stderr) == (9, True)
    if what == "unterminated":  # a range here, single bytes there
        return
    command = ["valgrind", "-q", "--error-exitcode=9", f"--suppressions={file}", built, what]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3, done.stderr


def test_leaks(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> None:
    built, file = compile_program("checking/leaks"), tmp_path / "all.supp"
    assert heapstory("check", *EXIT, "--gen-suppressions", file, "--", built).returncode == 9
    again = heapstory("check", *EXIT, "--suppressions", file, "--", built)
    assert (again.returncode, "unused" in again.stderr) == (0, False), again.stderr
    command = ["valgrind", "-q", "--leak-check=full", "--error-exitcode=9"]
    done = subprocess.run(
        [*command, f"--suppressions={file}", built], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


SCOPES = """\
namespace shop {
struct Cart {
    int *items;
    Cart() : items(new int[5]) {}
    ~Cart() { items[6]++; }
    void lose(int n) { items = new int[n], items = nullptr; }
    template <class T> T *make(T v) { return new T(v); }
};
static int peek(int *p) { return p[5]; }
} // namespace shop
static int cut(const shop::Cart &cart) { return shop::peek(cart.items); }
extern "C" int plain(int *p) { return p[7]; }

int main() {
    shop::Cart cart;
    int sum = cut(cart) + plain(cart.items);
    sum += *cart.make(2.5) > 1;
    {
        shop::Cart other;
        other.items[0] = sum;
    }
    cart.lose(30);
    cart.items = new int[7]();
    return sum == 12345;
}
"""


def test_functions_with_scopes(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    built = compile_program(SCOPES, "-x", "c++", "-w", compiler="g++")
    ours, theirs = tmp_path / "ours.supp", tmp_path / "theirs.supp"
    made = subprocess.run(
        ["valgrind", "-q", "--leak-check=full", "--gen-suppressions=all", built],
        capture_output=True,
        text=True,
        timeout=120,
    )
    theirs.write_text("".join(line for line in made.stderr.splitlines(True) if line[:2] != "=="))
    assert theirs.read_text().count("fun:_ZN") >= 6
    heapstory("check", "--gen-suppressions", ours, "--", built)
    for file in (ours, theirs):
        done = heapstory("check", *EXIT, "--suppressions", file, "--", built)
        assert (done.returncode, "unused" in done.stderr) == (0, False), done.stderr
    command = ["valgrind", "-q", "--leak-check=full", "--error-exitcode=9"]
    done = subprocess.run(
        [*command, f"--suppressions={ours}", built], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_a_damaged_file_is_named_before_anything_runs(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    file = tmp_path / "damaged.supp"
    file.write_text("# fine so far\n{\n  name\n  Memcheck:Leak\n  function f\n}\n")
    done = heapstory("check", "--suppressions", file, "--", compile_program("checking/errors"))
    assert (done.returncode, done.stdout) == (125, "")
    assert "damaged.supp:5:" in done.stderr
    missing = heapstory("check", "--suppressions", tmp_path / "none.supp", "--", "/bin/true")
    assert missing.returncode == 125
