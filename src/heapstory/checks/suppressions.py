"""Suppression files in Valgrind's format, read, matched and written.

Frames are compared with the stacks that findings have: calls within libraries may be missing there,
for which `...` stands. The functions that allocate and free are no part of these stacks, so that
patterns for them at the head of a suppression are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from heapstory.checks.finding import Stack, is_own
from heapstory.checks.functions import ANY, fits_function, function_pattern
from heapstory.errors import UsageError
from heapstory.store.places import Place

FUNCTION = "fun:*"  # the one that allocates, frees or copies
_FRAMES = ("fun:", "obj:", "src:")
_LEAKS = {
    "leak": "definite",
    "indirect-leak": "indirect",
    "possible-leak": "possible",
    "possible-indirect-leak": "possible",
    "reachable": "reachable",
}
_LEAK_KINDS = frozenset({"definite", "indirect", "possible", "reachable"})
# Memcheck's names of kinds, as far as there is such a thing here; sizes follow some of them.
_SIZED = ("unaddressable-read", "unaddressable-write")
_KINDS = {
    "bad-free": "Free",
    "double-free": "Free",
    "bad-realloc": "Free",
    "mismatched-free": "Free",
    "overlap": "Overlap",
    "bad-argument": "FishyValue",
    "uninitialized-condition": "Cond",
    "uninitialized-address": "Value8",
    "uninitialized-argument": "Param",
    "uninitialized-request": "User",
}
_SIZES = (1, 2, 4, 8, 16, 32)
_CALLED = ("Free", "Overlap", "FishyValue")  # found in a function that the program calls
_ALLOCATING = re.compile(
    r"malloc|calloc|realloc|memalign|aligned_alloc|posix_memalign|valloc|reallocarray|free|cfree|"
    r"_Zn[wa].*|_Zd[la].*|operator (new|delete).*|\*(alloc)?|mem(cpy|move|set).*|str\w+"
)


@dataclass(slots=True)
class Suppression:
    """One entry: what it is about, and the innermost frames."""

    name: str
    kinds: list[str]  # Memcheck's
    leak_kinds: frozenset[str]
    frames: list[str]
    file: Path
    line: int
    used: int = 0

    def __str__(self) -> str:
        return f"{self.name} ({self.file}:{self.line})"


@dataclass(slots=True)
class Suppressions:
    """All entries of some files."""

    entries: list[Suppression] = field(default_factory=list)

    def why(self, kind: str, size: int, stack: Stack) -> str | None:
        """The name of the first one that a finding fits; all that it fits count as used."""
        frames = _frames(stack)
        fitting = [
            entry
            for entry in self.entries
            if _fits_kind(entry, kind, size) and _fits(_without_allocator(entry.frames), frames)
        ]
        for entry in fitting:
            entry.used += 1
        return f"suppression {fitting[0].name}" if fitting else None

    @property
    def unused(self) -> list[Suppression]:
        """Those that nothing fitted."""
        return [entry for entry in self.entries if not entry.used]


# --- matching -------------------------------------------------------------------------------------


def _fits_kind(entry: Suppression, kind: str, size: int) -> bool:
    if kind in _LEAKS:
        return "Leak" in entry.kinds and _LEAKS[kind] in entry.leak_kinds
    if kind in _SIZED:
        # A range has no size that Memcheck would name.
        return any(
            known == "Param" or re.fullmatch(rf"Addr{size if size in _SIZES else ''}.*", known)
            for known in entry.kinds
        )
    if kind == "uninitialized-address":
        return any(re.fullmatch(r"Value\d*", known) for known in entry.kinds)
    return _KINDS.get(kind) in entry.kinds


def _without_allocator(frames: list[str]) -> list[str]:
    first = frames[0].removeprefix("fun:") if frames else ""
    allocates = frames and frames[0].startswith("fun:") and _ALLOCATING.fullmatch(first)
    return frames[1:] if allocates else frames


def _fits(frames: list[str], stack: list[tuple[Place, bool]]) -> bool:
    """Whether the patterns fit the innermost places; `...` any number of them."""
    if not frames:
        return True
    if frames[0] == ANY:
        return any(_fits(frames[1:], stack[skipped:]) for skipped in range(len(stack) + 1))
    return bool(stack) and _fits_place(frames[0], *stack[0]) and _fits(frames[1:], stack[1:])


def _frames(stack: Stack) -> list[tuple[Place, bool]]:
    """Places, and whether each was inlined into the next one, as what a header puts there is."""
    frames = []
    for place, outer in zip(stack, [*stack[1:], None], strict=True):
        if place.raw:
            frames.append((place.raw, True))
        same = outer and (outer.module, outer.offset) == (place.module, place.offset)
        frames.append((place, bool(same and place.offset is not None)))
    return frames


def _fits_place(pattern: str, place: Place, inlined: bool) -> bool:
    text = pattern[len("obj:") :].replace("[", "[[]")
    if pattern.startswith("obj:"):
        return fnmatchcase(place.module or "", text)
    if pattern.startswith("src:"):
        return any(fnmatchcase(name, text) for name in (place.file or "", str(place)))
    return fits_function(pattern[len("fun:") :], place.function or "", inlined)


# --- reading --------------------------------------------------------------------------------------


def read_suppressions(files: Iterable[Path]) -> Suppressions:
    """UsageError with the line of what cannot be read."""
    return Suppressions([entry for file in files for entry in _read(file)])


def _read(file: Path) -> Iterator[Suppression]:
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file}: cannot read the suppressions: {error.strerror}") from error
    except UnicodeDecodeError as error:
        damaged = error.object[: error.start].count(b"\n") + 1
        raise UsageError(f"{file}:{damaged}: is no text") from error
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.strip().startswith("#")
    ]
    at = 0
    while at < len(lines):
        number, line = lines[at]
        if line != "{":
            raise UsageError(f"{file}:{number}: expected {{, which begins a suppression: {line}")
        end = next((i for i in range(at, len(lines)) if lines[i][1] == "}"), None)
        if end is None:
            raise UsageError(f"{file}:{number}: the suppression that begins here has no }}")
        yield _entry(file, lines[at + 1 : end], number)
        at = end + 1


def _entry(file: Path, lines: list[tuple[int, str]], begins: int) -> Suppression:
    if len(lines) < 2:
        raise UsageError(f"{file}:{begins}: a suppression has a name, TOOL:KIND and frames")
    name = lines[0][1]
    number, about = lines[1]
    tools, colon, kind = about.partition(":")
    if not colon or not kind:
        raise UsageError(f"{file}:{number}: expected TOOL:KIND, as in Memcheck:Leak: {about}")
    # Entries for other tools say nothing here.
    kinds = [kind] if "memcheck" in tools.lower().split(",") else []
    rest = lines[2:]
    if kind == "Param" and rest and rest[0][1] != ANY and not rest[0][1].startswith(_FRAMES):
        rest = rest[1:]  # which argument of which system call
    leak_kinds = _LEAK_KINDS
    if rest and rest[0][1].startswith("match-leak-kinds:"):
        leak_kinds = _kinds_of_leaks(file, *rest[0])
        rest = rest[1:]
    for number, frame in rest:
        if frame != ANY and not frame.startswith(_FRAMES):
            raise UsageError(f"{file}:{number}: expected fun:, obj:, src: or ...: {frame}")
    if not rest:
        raise UsageError(f"{file}:{begins}: a suppression has at least one frame")
    return Suppression(name, kinds, leak_kinds, [frame for _, frame in rest], file, begins)


def _kinds_of_leaks(file: Path, number: int, text: str) -> frozenset[str]:
    words = {word.strip() for word in text.partition(":")[2].split(",")}
    if words == {"all"}:
        return _LEAK_KINDS
    if words == {"none"}:
        return frozenset()
    unknown = words - _LEAK_KINDS
    if unknown:
        raise UsageError(f"{file}:{number}: no kind of leak: {', '.join(sorted(unknown))}")
    return frozenset(words)


# --- writing --------------------------------------------------------------------------------------


def suppression_for(name: str, kind: str, size: int, stack: Stack) -> str:
    """An entry that fits a finding and, where Memcheck finds it as well, Memcheck's."""
    lines = [name]
    if kind in _LEAKS:
        lines += ["Memcheck:Leak", f"match-leak-kinds: {_LEAKS[kind]}", FUNCTION]
    elif kind in _SIZED:
        lines.append(f"Memcheck:Addr{size if size in _SIZES else 1}")
        lines += [] if size in _SIZES else [ANY]
    else:
        known = _KINDS[kind]
        lines.append(f"Memcheck:{known}")
        lines += ["*"] if known == "Param" else [FUNCTION] if known in _CALLED else []
    lines += _patterns(stack) or [ANY]
    return "\n".join(["{", *(f"   {line}" for line in lines), "}", ""])


def _patterns(stack: Stack) -> list[str]:
    """Up to main; around code that is not the program's own there may be more calls."""
    patterns: list[str] = []
    for place, inlined in _frames(stack):
        own = is_own(place) and not place.is_library
        pattern = function_pattern(place, inlined, own)
        around = [] if own and pattern != ANY else [ANY]
        for each in (*around, pattern, *around):
            if each and not (each == ANY == (patterns or [""])[-1]):
                patterns.append(each)
        if place.function == "main":
            break
    return patterns
