"""Headers that are nowhere, and the declarations that need them, left out of what is compiled.

A file may include a library that is not installed only for its own tests. The compiler is shown an
empty header instead, and the files without the declarations that then make no sense. If operations
need one of those, the file cannot be compiled all the same.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import weakref
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

MOST_CUT = 24  # declarations
PREFIX = "heapstory-absent-"
_NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*',
    re.DOTALL | re.MULTILINE,
)
_AT = re.compile(r"^(\S[^:]*):(\d+):\d+: (?:fatal )?error: ")
_INNER = re.compile(r'\b(?:namespace\b[^;{}()]*|extern\s*"[^"]*"\s*)$')


@dataclass(eq=False)
class Absent:
    """What is left out of a file."""

    headers: list[str] = field(default_factory=list)
    declarations: dict[str, int] = field(default_factory=dict)  # what, where it begins
    _texts: dict[str, str] = field(default_factory=dict)  # by path: what is left of it

    def options(self) -> tuple[str, ...]:
        """For the compiler."""
        if not self.headers:
            return ()
        return ("-idirafter", str(self._headers()), "-ivfsoverlay", str(self._overlay()))

    def notes(self) -> list[str]:
        """For people."""
        found = [f"{each} is nowhere and is taken to be empty" for each in self.headers]
        if self.declarations:
            cut = ", ".join(f"{name} (line {line})" for name, line in self.declarations.items())
            found.append(f"left out, since it does not compile without that: {cut}")
        return found

    def without(self, header: str) -> bool:
        """Take a header to be empty; whether that changes anything."""
        if header in self.headers or header.startswith(("/", "..")):
            return False
        self.headers.append(header)
        file = self._headers() / header
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
        return True

    def cut(self, error: str) -> bool:
        """Leave out the declaration that an error is in; whether that changes anything."""
        match = _AT.match(error)
        if not self.headers or match is None or len(self.declarations) >= MOST_CUT:
            return False
        path, line = Path(match.group(1)).resolve(), int(match.group(2))
        if not path.is_file():
            return False
        text = self._texts.get(str(path)) or path.read_text(encoding="utf-8", errors="replace")
        begin, end = _declaration(text, line)
        if not text[begin:end].strip():
            return False
        name = _name(text[begin:end])
        self.declarations[name] = text.count("\n", 0, begin) + 1
        blank = re.sub(r"[^\n]", " ", text[begin:end])
        self._texts[str(path)] = text[:begin] + blank + text[end:]
        return True

    @cached_property
    def _folder(self) -> Path:
        """What the compiler is shown; gone with this object."""
        folder = tempfile.mkdtemp(prefix=PREFIX)
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def _headers(self) -> Path:
        folder = self._folder / "headers"
        folder.mkdir(exist_ok=True)
        return folder

    def _overlay(self) -> Path:
        roots = []
        for number, (path, text) in enumerate(self._texts.items()):
            shown = self._folder / f"{number}-{len(self.declarations)}"
            shown.write_text(text, encoding="utf-8")
            roots.append({"type": "file", "name": path, "external-contents": str(shown)})
        overlay = self._folder / f"overlay-{len(self.declarations)}.yaml"
        whole = {"version": 0, "use-external-names": False, "roots": roots}
        overlay.write_text(json.dumps(whole))
        return overlay


def _declaration(text: str, line: int) -> tuple[int, int]:
    """Where the declaration of a namespace or a file that a line is in begins and ends."""
    plain = _NOISE.sub(lambda noise: re.sub(r"[^\n]", " ", noise.group()), text)
    at = 0
    for _ in range(line - 1):
        at = plain.find("\n", at) + 1
    at += len(plain[at:]) - len(plain[at:].lstrip())
    begin, depth, inner = 0, 0, 0
    for place, letter in enumerate(plain):
        if letter == "{":
            if depth == inner and _INNER.search(text[begin:place]):
                inner, begin = inner + 1, place + 1
            depth += 1
        elif letter == "}":
            depth -= 1
            inner = min(inner, depth)
        if depth == inner and letter in ";}":
            follows = plain[place + 1 :].lstrip()[:1]
            if letter == "}" and follows == ";":
                continue
            if place >= at:
                return begin + len(plain[begin:]) - len(plain[begin:].lstrip()), place + 1
            begin = place + 1
    return begin, len(text)


def _name(declaration: str) -> str:
    """What a declaration declares, as far as its words tell."""
    head = re.split(r"[({;=]", _NOISE.sub(" ", declaration), maxsplit=1)[0].split()
    return head[-1].lstrip("*&") if head else declaration.strip()[:20]
