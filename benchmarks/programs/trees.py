"""A source tree like that of a core utilities package: folders of small C files, tests, docs."""

from pathlib import Path

from benchmarks.programs.words import Writer

# folder, files, suffixes, lines per file
_LAYOUT: list[tuple[str, int, list[str], int]] = [
    ("src", 160, [".c", ".c", ".c", ".h"], 90),
    ("lib", 620, [".c", ".c", ".h"], 40),
    ("lib/glue", 90, [".c", ".h"], 30),
    ("m4", 420, [".m4"], 18),
    ("man", 110, [".1", ".x"], 24),
    ("doc", 28, [".texi", ".txt"], 120),
    ("po", 60, [".po"], 60),
    ("build-aux", 24, [".sh", ".pl"], 40),
    ("old/file", 12, [".log"], 40),
    ("old/shell", 12, [".log"], 40),
    ("old/text", 12, [".log"], 40),
]
# fmt: off
_TESTS = ["chmod", "cp", "cut", "date", "dd", "df", "du", "expr", "factor", "head", "ls", "misc",
          "mkdir", "mv", "rm", "sort", "split", "tail", "touch"]
# fmt: on


def write(root: Path, seed: int, share: float = 1.0, contents: bool = True) -> None:
    """Writes the tree below ``root``; ``share`` takes that part of every folder's files."""
    writer = Writer(seed)
    layout = [*_LAYOUT, *((f"tests/{name}", 26, [".sh", ".c"], 22) for name in _TESTS)]
    for folder, files, suffixes, lines in layout:
        (root / folder).mkdir(parents=True)
        for number in range(max(1, int(files * share))):
            name = f"{writer.word()}-{writer.word()}{number}{writer.pick(suffixes)}"
            write_lines = _source if name.endswith((".c", ".h")) else _text
            (root / folder / name).write_text(write_lines(writer, lines) if contents else "")


def write_many(root: Path, seed: int, packages: int, share: float = 1.0) -> None:
    """A folder of such trees with empty files, for programs that only look at names."""
    for number in range(packages):
        write(root / f"package-{number:02}", seed + number, share, contents=False)


def _source(writer: Writer, lines: int) -> str:
    text = [f"/* {writer.sentence()} */", f'#include "{writer.word()}.h"', ""]
    while len(text) < lines:
        text += [f"static int {writer.word()}_{writer.word()}(int {writer.word()})", "{"]
        for _ in range(2 + writer.number(8)):
            call = f"{writer.pick(['alloc', 'free', 'copy', 'print', 'find'])}_{writer.word()}"
            text.append(f"    {call}({writer.word()}, {writer.number(1000)});")
        text += [f"    return {writer.number(2)};", "}", ""]
    return "\n".join(text) + "\n"


def _text(writer: Writer, lines: int) -> str:
    return "\n".join(writer.sentence() for _ in range(lines)) + "\n"
