"""Reads `.lin` by recursive descent, into plain tuples.

Expressions are ``("num", n)``, ``("id",)``, ``("var", name)``, ``("field", base, name)``,
``("index", array, index)``, ``("+", a, b)``, ``("-", a, b)``. Statements are ``("set", place,
value)``, ``("malloc", place, struct)``, ``("free", place)``, ``("look", place)``, ``("return",
values)``. Conditions are ``("test", left, op, right)`` or ``("none", struct, name, tests)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

TOKENS = re.compile(
    r"\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/|(\.\.\.\s*[A-Za-z]\w*|[A-Za-z_]\w*|\d+|->|==|!=|<=|>=|:=|&&"
    r"|[≠≤≥→]|[-+*.,;:(){}\[\]<>=])",
    re.DOTALL,
)
PLAIN = {"≠": "!=", "≤": "<=", "≥": ">=", "→": ".", "->": ".", "=": "=="}
NAMED = {"NULL": 0, "EMPTY": -2, "TRUE": 1, "FALSE": 0, "MIN": -1_000_000, "MAX": 1_000_000}
TYPES: dict[str, set[str]] = {
    "enqueue": {"enq"}, "dequeue": {"deq"}, "add": {"insert"}, "remove": {"delete"},
    "contains": {"member", "find", "lookup"}, "read": {"get"}, "write": {"set"},
    "increment": {"inc"}, "decrement": {"dec"}, "scan": {"snapshot"},
}  # fmt: skip
Term = tuple[Any, ...]


@dataclass
class Step:
    loop: bool
    guard: list[Term]
    body: list[Term]
    binds: list[tuple[str, Term]] = field(default_factory=list)
    picks: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Op:
    name: str
    method: str
    parameters: list[str]
    types: dict[str, str]  # of parameters and locals
    steps: list[Step]

    @property
    def says(self) -> bool:
        """Whether the response has a place of its own."""
        return any(s[0] == "return" for step in self.steps for s in step.body)


@dataclass
class Spec:
    implements: str | None = None
    model: Spec | None = None
    structs: dict[str, dict[str, str]] = field(default_factory=dict)
    scalars: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, str] = field(default_factory=dict)
    initial: dict[str, Term] = field(default_factory=dict)
    init: list[Term] = field(default_factory=list)
    init_types: dict[str, str] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)

    def fixed(self) -> list[str]:
        """Globals of a struct type that no statement assigns: each is an object of its own."""
        bodies = [self.init, *(s.body for op in self.ops for s in op.steps)]
        assigned = {s[1][1] for b in bodies for s in b if s[0] in ("set", "malloc")}
        return [n for n, t in self.scalars.items() if t in self.structs and n not in assigned]


def read(text: str) -> Spec:
    text = re.sub(r"(?m)^[ \t]*[A-Z]{1,3}\d+\.(?=\s)", " ", text)
    words = []
    at = 0
    while at < len(text):
        found = TOKENS.match(text, at)
        assert found, text[at : at + 20]
        at = found.end()
        if found[1]:
            words.append(found[1])
    return Reader(words).specification("")


class Reader:
    def __init__(self, words: list[str]) -> None:
        self.words, self.at = words, 0

    # -- words ------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str:
        return self.words[self.at + ahead] if self.at + ahead < len(self.words) else ""

    def take(self, expected: str = "") -> str:
        word = self.peek()
        assert word and (not expected or word == expected), (expected, self.words[self.at :][:8])
        self.at += 1
        return word

    def maybe(self, word: str) -> bool:
        if self.peek() == word:
            self.at += 1
            return True
        return False

    # -- declarations -----------------------------------------------------------------------------

    def specification(self, end: str) -> Spec:
        spec = Spec()
        while self.peek() != end:
            self.item(spec)
        for op in spec.ops:
            Values(spec, op).give()
        return spec

    def item(self, spec: Spec) -> None:
        word, after = self.peek(), self.peek(2)
        if word in ("name", "implements"):
            self.take()
            named = self.take()
            spec.implements = named if word == "implements" else spec.implements
            self.maybe(";")
        elif word == "model":
            self.take()
            self.take("{")
            spec.model = self.specification("}")
            self.take("}")
        elif word == "struct":
            self.struct(spec)
        elif word == "init":
            self.init(spec)
        elif word in ("order", "notorder", "reverse", "notreverse", "hint", "≀", "⊖"):
            while not self.maybe(";"):
                self.take()
        elif word == "ghost" or after in (";", "=", "["):
            self.declaration(spec)
        else:
            self.operation(spec)

    def struct(self, spec: Spec) -> None:
        self.take()
        name = self.take()
        fields = spec.structs[name] = {}
        self.take("{")
        while not self.maybe("}"):
            self.maybe("ghost")
            kind = self.take()
            fields[self.take()] = kind
            while self.peek() in (",", ";"):
                self.take()
        self.maybe(";")

    def declaration(self, spec: Spec) -> None:
        self.maybe("ghost")
        kind, name = self.take(), self.take()
        if self.maybe("["):
            if self.peek() != "]":
                self.take()
            self.take("]")
            spec.arrays[name] = kind
        else:
            spec.scalars[name] = kind
            if self.maybe("="):
                spec.initial[name] = self.sum(spec, {})
        self.take(";")

    def local(self, types: dict[str, str]) -> None:
        self.maybe("ghost")
        kind = self.take()
        types[self.take()] = kind
        self.take(";")

    def init(self, spec: Spec) -> None:
        self.take()
        self.take("{")
        while not self.maybe("}"):
            if re.match(r"[A-Za-z_]", self.peek(1)) and self.peek() not in ("free", "READ"):
                self.local(spec.init_types)
            else:
                spec.init.append(self.statement(spec, spec.init_types))
                self.take(";")

    # -- operations -------------------------------------------------------------------------------

    def operation(self, spec: Spec) -> None:
        name, types = self.take(), dict[str, str]()
        if self.maybe("("):
            while not self.maybe(")"):
                kind = self.take()
                types[self.take()] = kind
                while self.peek() in (",", ";"):
                    self.take()
        parameters = list(types)
        method = self.take() if self.maybe("is") else method_of(name)
        while self.peek() not in ("1", "*"):
            self.local(types)
        steps = []
        while self.peek() in ("1", "*"):
            self.take()
            steps.append(self.step(spec, types))
        spec.ops.append(Op(name, method, parameters, types, steps))

    def step(self, spec: Spec, types: dict[str, str]) -> Step:
        step = Step(self.maybe("loop"), [], [])
        if self.maybe("<"):
            while not self.maybe(">"):
                step.guard.append(self.condition(spec, types))
                if self.peek() in (";", "&&"):
                    self.take()
        while self.begins_statement():
            step.body.append(self.statement(spec, types))
            if not self.maybe(";"):
                break
        if self.peek().startswith("..."):
            self.take()
        return step

    def begins_statement(self) -> bool:
        if self.peek() in ("return", "free", "READ"):
            return True
        return bool(re.match(r"[A-Za-z_]", self.peek())) and self.peek(1) in (
            "=", ":=", ".", "->", "→", "[",
        )  # fmt: skip

    def condition(self, spec: Spec, types: dict[str, str]) -> Term:
        if self.maybe("none"):
            struct, name = self.take(), self.take()
            self.take(":")
            inner = {**types, name: struct}
            tests = [self.condition(spec, inner)]
            while self.maybe(","):
                tests.append(self.condition(spec, inner))
            return ("none", struct, name, tests)
        left = self.sum(spec, types)
        op = self.take()
        return ("test", left, PLAIN.get(op, op), self.sum(spec, types))

    def statement(self, spec: Spec, types: dict[str, str]) -> Term:
        if self.maybe("return"):
            values: list[Term] = []
            while self.peek() != ";":
                values.append(self.sum(spec, types))
                self.maybe(",")
            return ("return", values)
        if self.peek() in ("free", "READ"):
            word = self.take()
            return ("free" if word == "free" else "look", self.term(spec, types))
        place = self.term(spec, types)
        assert self.take() in ("=", ":=")
        if self.maybe("malloc"):
            inside = self.maybe("(")
            struct = self.take()
            if inside:
                self.take(")")
            return ("malloc", place, struct)
        return ("set", place, self.sum(spec, types))

    def sum(self, spec: Spec, types: dict[str, str]) -> Term:
        value = self.term(spec, types)
        while self.peek() in ("+", "-"):
            value = (self.take(), value, self.term(spec, types))
        return value

    def term(self, spec: Spec, types: dict[str, str]) -> Term:
        if self.maybe("("):
            value = self.sum(spec, types)
            self.take(")")
            return value
        sign = -1 if self.maybe("-") else 1
        word = self.take()
        if word.isdigit():
            return ("num", sign * int(word))
        known = {**spec.scalars, **spec.arrays, **types}
        if word not in known:
            return ("id",) if word == "ID" else ("num", NAMED[word])
        value = ("var", word)
        while self.peek() in (".", "->", "→", "["):
            if self.take() != "[":
                value = ("field", value, self.take())
                continue
            array = value[0] == "var" and word in spec.arrays and word not in types
            value = (
                ("index", word, self.sum(spec, types)) if array else ("field", value, self.take())
            )
            self.take("]")
        return value


def method_of(name: str) -> str:
    word = name.split("_")[0].lower() or name.lower()
    return next((method for method, others in TYPES.items() if word in others), word)


class Values:
    """Where the locals of an operation that nothing assigned get their values."""

    def __init__(self, spec: Spec, op: Op) -> None:
        self.spec, self.op = spec, op

    def give(self) -> None:
        known = set(self.op.parameters)
        for step in self.op.steps:
            for test in step.guard:
                if test[0] != "test" or test[2] != "==":
                    continue
                for one, other in ((test[1], test[3]), (test[3], test[1])):
                    missing = one[0] == "var" and one[1] in self.op.types and one[1] not in known
                    if missing and self.locals(other) <= known:
                        step.binds.append((one[1], other))
                        known.add(one[1])
                        break
            for name, set_here in self.uses(step):
                if name not in known and not set_here:
                    assert self.op.types[name] in self.spec.structs, f"{name} has no value"
                    step.picks.append((name, self.op.types[name]))
                known.add(name)

    def locals(self, *terms: Term) -> set[str]:
        return {name for term in terms for name in self.names(term)}

    def names(self, term: Any) -> Iterator[str]:
        """The locals in an expression, as they stand."""
        if isinstance(term, tuple) and term[:1] == ("var",):
            if term[1] in self.op.types:
                yield term[1]
        elif isinstance(term, tuple):
            for part in term[1:]:
                yield from self.names(part)

    def uses(self, step: Step) -> Iterator[tuple[str, bool]]:
        """The locals of a step as it comes to them, and whether it sets them there."""
        for test in step.guard:
            for one in test[3] if test[0] == "none" else [test]:
                for name in self.locals_in_order(one[1], one[3]):
                    yield name, False
        for kind, *rest in step.body:
            terms = rest[0] if kind == "return" else rest[1:] if kind == "set" else []
            for name in self.locals_in_order(*terms):
                yield name, False
            if kind != "return":
                plain = rest[0][0] == "var"
                for name in self.locals_in_order(rest[0]):
                    yield name, plain and kind in ("set", "malloc")

    def locals_in_order(self, *terms: Term) -> list[str]:
        return [name for term in terms for name in self.names(term)]
