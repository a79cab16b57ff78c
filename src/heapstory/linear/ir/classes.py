"""The classes of a C++ file with what can be called of them, read without a compiler.

Only the outline is read: namespaces, classes, their templates' parameters, names of member
functions with their parameters. What the preprocessor decides is not known: all branches are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from heapstory.linear.ir.unit import own_files

_NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\''
    r"|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*",
    re.DOTALL | re.MULTILINE,
)
_DIGITS = re.compile(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])")
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|::|->|&&|\.\.\.|\[\[|\]\]|[^\s\w]")
_NO_NAME = frozenset(
    (
        "alignas", "noexcept", "requires", "decltype", "static_assert", "explicit", "sizeof", "if",
        "while", "for", "switch", "return", "operator", "__attribute__", "friend", "using",
        "typedef",
    )
)  # fmt: skip
_CLOSES = {"(": ")", "{": "}", "[": "]", "[[": "]]"}


@dataclass(frozen=True)
class Parameter:
    """Of a function or a template: the words of its type, its name, whether it has a default."""

    words: tuple[str, ...]
    name: str
    default: bool = False

    @property
    def is_out(self) -> bool:
        """Whether a function can write through it."""
        return "const" not in self.words and ("&" in self.words or "*" in self.words)


@dataclass(frozen=True)
class Method:
    """A public member function."""

    name: str
    parameters: tuple[Parameter, ...]
    line: int
    silent: bool = False  # returns nothing
    truth: bool = False  # returns whether it did something, or is so


@dataclass
class Class:
    """A class, or a template of one."""

    name: str
    scope: tuple[str, ...]  # namespaces
    template: tuple[Parameter, ...] | None
    methods: list[Method] = field(default_factory=list)
    constructors: list[Method] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    instance: str = ""  # the arguments that the file instantiates it with
    abstract: bool = False

    @property
    def full_name(self) -> str:
        """The name with its namespaces."""
        return "::".join([*self.scope, self.name])


@dataclass
class Outline:
    """What was read of a file and of those that it includes by a path of its own."""

    classes: list[Class]
    throws: bool


def outline(path: Path) -> Outline:
    """The classes of a file and of its own headers, those of the file first."""
    files, classes, throws = own_files(str(path)), [], False
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        reader = _Reader(text)
        reader.scope(0, len(reader.words), ())
        classes += reader.classes
        throws = throws or "throw" in reader.words
    for each in classes:
        _inherit(each, {c.name: c for c in classes}, set())
    return Outline(classes, throws)


def _inherit(one: Class, known: dict[str, Class], seen: set[str]) -> None:
    """Add what a class has from those it is derived from."""
    for name in one.bases:
        base = known.get(name)
        if base is not None and name not in seen and base is not one:
            _inherit(base, known, seen | {name})
            own = {m.name for m in one.methods}
            one.methods += [m for m in base.methods if m.name not in own]


class _Reader:
    """The words of one file."""

    def __init__(self, text: str) -> None:
        plain = _NOISE.sub(_blank, _DIGITS.sub("", text))
        found = list(_TOKEN.finditer(plain))
        self.words = [m.group() for m in found]
        self._starts = [m.start() for m in found]
        self._plain = plain
        self.classes: list[Class] = []

    def _line(self, at: int) -> int:
        return self._plain.count("\n", 0, self._starts[at]) + 1

    def _after(self, at: int) -> int:
        """Behind what is opened here."""
        closing, depth, opening = _CLOSES[self.words[at]], 0, self.words[at]
        for i in range(at, len(self.words)):
            depth += (self.words[i] == opening) - (self.words[i] == closing)
            if depth == 0:
                return i + 1
        return len(self.words)

    def _after_angle(self, at: int) -> int:
        """Behind the ``>`` that belongs to the ``<`` here; behind that one where there is none."""
        depth, i = 0, at
        while i < len(self.words) and self.words[i] not in (";", "{"):
            if self.words[i] in ("(", "["):
                i = self._after(i)
                continue
            depth += (self.words[i] == "<") - (self.words[i] == ">")
            i += 1
            if depth == 0:
                return i
        return at + 1

    def scope(self, at: int, end: int, names: tuple[str, ...]) -> None:
        """Read the declarations of a namespace."""
        template: tuple[Parameter, ...] | None = None
        while at < end:
            word = self.words[at]
            if word == "namespace":
                at = self._namespace(at, names)
            elif word == "extern" and self.words[at + 1 : at + 2] == ["{"]:
                close = self._after(at + 1)
                self.scope(at + 2, close - 1, names)
                at = close
            elif word == "template" and self.words[at + 1 : at + 2] == ["<"]:
                close = self._after_angle(at + 1)
                template = self._parameters(at + 2, close - 1)
                at = close
            elif word == "template" and self.words[at + 1 : at + 2] in (["class"], ["struct"]):
                at = self._instance(at + 2)
            elif word in ("class", "struct"):
                at = self._class(at, names, template)
                template = None
            else:
                at, template = self._other(at, template)

    def _other(
        self, at: int, template: tuple[Parameter, ...] | None
    ) -> tuple[int, tuple[Parameter, ...] | None]:
        """Go on behind something else; a template ends with its declaration."""
        word = self.words[at]
        if word in _CLOSES:
            return self._after(at), None if word == "{" else template
        return at + 1, None if word == ";" else template

    def _namespace(self, at: int, names: tuple[str, ...]) -> int:
        inner, i = list(names), at + 1
        while i < len(self.words) and self.words[i] not in ("{", ";", "="):
            if self.words[i].isidentifier() and self.words[i] != "inline":
                inner.append(self.words[i])
            i += 1
        if i >= len(self.words) or self.words[i] != "{":
            return i + 1
        close = self._after(i)
        self.scope(i + 1, close - 1, tuple(inner))
        return close

    def _instance(self, at: int) -> int:
        """``template class NAME<ARGUMENTS>;``"""
        end = self.words.index(";", at) if ";" in self.words[at:] else len(self.words)
        words = self.words[at:end]
        if "<" in words:
            name = words[words.index("<") - 1]
            for each in self.classes:
                if each.name == name and not each.instance:
                    each.instance = " ".join(words[words.index("<") :])
        return end + 1

    def _class(
        self, at: int, names: tuple[str, ...], template: tuple[Parameter, ...] | None
    ) -> int:
        i, name = at + 1, ""
        while i < len(self.words) and self.words[i] not in ("{", ";", ":", "<", "=", ")"):
            if self.words[i] in ("(", "[["):
                i = self._after(i)
                continue
            word = self.words[i]
            if word.isidentifier() and word not in ("final", "alignas", "__attribute__"):
                name = word
            i += 1
        bases: list[str] = []
        if i < len(self.words) and self.words[i] == ":":
            while i < len(self.words) and self.words[i] not in ("{", ";"):
                if self.words[i] == "<":
                    i = self._after_angle(i)
                    continue
                bases.append(self.words[i])
                i += 1
        if i >= len(self.words) or self.words[i] != "{":
            return i + 1
        close = self._after(i)
        if name:
            made = Class(name, names, template, bases=[b for b in bases if b.isidentifier()])
            self._members(made, i + 1, close - 1, self.words[at] == "struct")
            self.classes.append(made)
        return close

    def _members(self, of: Class, at: int, end: int, public: bool) -> None:
        while at < end:
            word = self.words[at]
            if word in ("public", "private", "protected") and self.words[at + 1] == ":":
                public, at = word == "public", at + 2
            elif word == "template" and self.words[at + 1] == "<":
                at = self._after_angle(at + 1)
            elif word in ("class", "struct", "union", "enum"):
                at = self._nested(at, end)
            else:
                at = self._member(of, at, end, public)

    def _nested(self, at: int, end: int) -> int:
        while at < end and self.words[at] not in ("{", ";", "("):
            at += 1
        return self._after(at) if at < end and self.words[at] == "{" else at + 1

    def _member(self, of: Class, at: int, end: int, public: bool) -> int:
        """One declaration; notes the function that it declares."""
        first, i = at, at
        while i < end and self.words[i] not in (";", "{", "(", "="):
            if self.words[i] == "<" and self.words[i - 1] != "operator":
                i = self._after_angle(i)
            elif self.words[i] == "[[":
                i = self._after(i)
            elif self.words[i] in _NO_NAME and self.words[i + 1 : i + 2] == ["("]:
                i = self._after(i + 1)
            else:
                i += 1
        if i >= end or self.words[i] != "(":
            return self._rest(i, end)
        words, name, close = self.words[first:i], self.words[i - 1], self._after(i)
        after = self._rest(close, end)
        tail = self.words[close:after]
        deleted = tail[-3:] == ["=", "delete", ";"]
        hidden = not public or deleted or {"static", "friend", "operator", "using"} & set(words)
        if tail[-3:] == ["=", "0", ";"]:
            of.abstract = True
        if not hidden and name.isidentifier() and "~" not in words:
            kept = of.constructors if name == of.name else of.methods
            silent = "void" in words and "*" not in words
            truth = "bool" in words and not {"<", "*"} & set(words)
            parameters = self._parameters(i + 1, close - 1)
            kept.append(Method(name, parameters, self._line(i), silent, truth))
        elif name == of.name and "~" not in words:
            of.constructors.append(Method("", (), self._line(i)))  # one that cannot be called
        return after

    def _rest(self, at: int, end: int) -> int:
        """Behind a declaration, with the body of a function."""
        initialises = False
        while at < end:
            word = self.words[at]
            if word == ";":
                return at + 1
            if word == ":" and self.words[at - 1] != ":":
                initialises = True
            if word == "{":
                before, at = self.words[at - 1], self._after(at)
                brace = initialises and (before.isidentifier() or before == ">")
                if not brace and (at >= end or self.words[at] != ";"):
                    return at
                continue
            at = self._after(at) if word in _CLOSES else at + 1
        return end

    def _parameters(self, at: int, end: int) -> tuple[Parameter, ...]:
        found, begin, i = [], at, at
        while i < end:
            word = self.words[i]
            if word == "<":
                i = self._after_angle(i)
            elif word in _CLOSES:
                i = self._after(i)
            else:
                if word == ",":
                    found.append(_parameter(self.words[begin:i]))
                    begin = i + 1
                i += 1
        if begin < end:
            found.append(_parameter(self.words[begin:end]))
        return tuple(p for p in found if p.words != ("void",))


def _parameter(words: list[str]) -> Parameter:
    """The type and the name of a parameter."""
    default = "=" in words
    if default:
        words = words[: words.index("=")]
    named = len(words) > 1 and words[-1].isidentifier() and words[-2] not in ("::", "const")
    if len(words) > 1 and words[-2] in ("unsigned", "signed", "long") and words[-1] in _BUILT_IN:
        named = False
    name = words[-1] if named else ""
    return Parameter(tuple(words[:-1] if named else words), name, default)


_BUILT_IN = frozenset(("char", "short", "int", "long", "double"))


def _blank(noise: re.Match[str]) -> str:
    """What is left out, as so many lines."""
    text = noise.group()
    return "\n" * text.count("\n") if text[0] in "/#" or text.lstrip()[:1] == "#" else " "
