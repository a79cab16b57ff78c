"""What inference knows of a program's types before it asks the engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count

from heapstory.constraints.binding.layout import Array, Layout, Scalar, scalar_of
from heapstory.constraints.binding.traced import TraceBinding
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import Kind
from heapstory.store.type_names import meant, short_name
from heapstory.trace import Trace

NUMBERS = (Kind.INT, Kind.UINT)
BACKWARD = ("prev", "parent", "up", "back", "pred", "father", "owner", "before")


@dataclass(eq=False)
class TypeFacts:
    """A record type with blocks in the trace; `edges` and `back` are decided later. `name` is the
    word that the specification has for it, `native` its name in the debug information."""

    name: str
    native: str
    layout: Layout
    blocks: int
    pointers: dict[str, str] = field(default_factory=dict)  # field -> type it points to
    arrays: set[str] = field(default_factory=set)  # of the pointers, those that are arrays
    numbers: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # void *: numbers, or pointers to anything
    far_numbers: list[str] = field(default_factory=list)  # pointers to numbers: int *
    number_arrays: dict[str, int] = field(default_factory=dict)
    edges: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)
    unchecked: set[str] = field(default_factory=set)  # pointers that are not always safe
    written: set[str] = field(default_factory=set)  # fields that always have a value

    @property
    def own(self) -> list[str]:
        """The fields that point to the type itself."""
        return [name for name, target in self.pointers.items() if target == self.name]

    def layout_arrays(self) -> list[str]:
        """Pointers to blocks of pointers: ``struct node **chain``."""
        return [
            part.name
            for part in self.layout.parts
            if isinstance(part, Scalar) and (part.pointee or "").endswith(" *")
        ]

    @property
    def named(self) -> list[str]:
        """The fields that a specification names."""
        names = (part.name.replace("[]", "") for part in self.layout.parts)
        kept = (n for n in names if n in self.pointers or not (n.startswith("__") or "[" in n))
        return list(dict.fromkeys(kept))

    def type_line(self) -> str:
        """``node { key!; left*; parent^; }``."""
        parts = []
        for name in self.named:
            mark = ""
            if name in self.pointers:
                mark = "*" if name in self.edges else "^"
                mark += "?" if name in self.unchecked else ""
            parts.append(f"{name}{mark}{'!' if name in self.written else ''};")
        native = "" if self.native == self.name else f' is "{self.native}"'
        return f"{self.name}{native} {{ {' '.join(parts)} }}"


def read_facts(trace: Trace, wanted: Iterable[str]) -> dict[str, TypeFacts]:
    """The record types that have blocks, point to one another, or are asked for; by their words."""
    binding = TraceBinding(trace)
    counts = binding.block_counts()
    with_blocks = [name for name in binding.type_names() if counts.get(name)]
    asked = {name for text in wanted for name in meant(text, with_blocks)}
    found: dict[str, TypeFacts] = {}
    for name, word in _words(with_blocks).items():
        layout = binding.layout(syntax.TypeLine(name, None, (), syntax.At(0, 0)))
        if layout is not None and layout.parts:
            found[name] = TypeFacts(word, name, layout, counts[name])
    for facts in found.values():
        _read_fields(facts, found, binding)
    joined = {n for n, f in found.items() if f.pointers or _holds_array_of(f, found)}
    by_word = {facts.name: name for name, facts in found.items()}
    joined |= {by_word[target] for f in found.values() for target in f.pointers.values()}
    chosen = {f.name: f for n, f in found.items() if n in (asked or joined)}
    for facts in chosen.values():  # what is not asked for is no part of the specification
        facts.pointers = {n: word for n, word in facts.pointers.items() if word in chosen}
    return chosen


def _words(names: list[str]) -> dict[str, str]:
    """A word of the language for each name: the short ones of C++ and Rust, numbered if need be."""
    words: dict[str, str] = {}
    for name in names:
        word = name if name.isidentifier() else short_name(name)
        if not word.isidentifier():
            continue
        taken = set(words.values())
        numbered = (f"{word}_{number}" for number in count(2))
        words[name] = word if word not in taken else next(w for w in numbered if w not in taken)
    return words


def _holds_array_of(facts: TypeFacts, known: dict[str, TypeFacts]) -> bool:
    """Whether a field points to a block of pointers to a known type."""
    names = (scalar_of(part).pointee or "" for part in facts.layout.parts)
    return any(name.removesuffix(" *") in known for name in names if name.endswith(" *"))


def _read_fields(facts: TypeFacts, known: dict[str, TypeFacts], binding: TraceBinding) -> None:
    for part in facts.layout.parts:
        name, scalar = part.name.replace("[]", ""), scalar_of(part)
        if not all(word.isidentifier() for word in name.split(".")):
            continue
        array = isinstance(part, Array)
        if array and not part.name.endswith("[]"):
            continue
        if scalar.kind is Kind.POINTER and scalar.target is not None and scalar.target in known:
            facts.pointers[name] = known[scalar.target].name
            if array:
                facts.arrays.add(name)
        elif scalar.kind is Kind.POINTER and scalar.target is None and isinstance(part, Scalar):
            if scalar.pointee in (None, "void"):
                facts.words.append(name)
            elif not scalar.is_char and _is_of_numbers(binding.array_of(scalar.pointee)):
                facts.far_numbers.append(name)
        elif scalar.kind in NUMBERS and not scalar.is_char and scalar.size in (2, 4, 8):
            if isinstance(part, Scalar):
                facts.numbers.append(name)
            elif part.count:
                facts.number_arrays[name] = part.count


def _is_of_numbers(array: Layout | None) -> bool:
    """Whether the elements of an array are numbers."""
    return array is not None and len(array.parts) == 1 and scalar_of(array.parts[0]).kind in NUMBERS


def root_sources(trace: Trace, facts: TypeFacts, known: dict[str, TypeFacts]) -> list[list[str]]:
    """Where a type may begin: fields of other types and global variables that point to it, one by
    one, then all of one holder, then all; the likeliest first."""
    found = _sources(trace, facts, known)
    holders: dict[str, list[str]] = {}
    for one in found:
        holders.setdefault(one.partition(".")[0], []).append(one)
    options = [[one] for one in found] + [mine for mine in holders.values() if len(mine) > 1]
    return options if len(holders) < 2 else [*options, found]


def _sources(trace: Trace, facts: TypeFacts, known: dict[str, TypeFacts]) -> list[str]:
    found = []
    for other in sorted(known.values(), key=lambda one: one.blocks):
        if other is facts:
            continue
        for part in other.layout.parts:
            scalar, name = scalar_of(part), part.name.replace("[]", "")
            to_array = scalar.pointee == f"{facts.native} *"
            if scalar.kind is Kind.POINTER and (scalar.target == facts.native or to_array):
                found.append(f"{other.name}.{name}")
    binding = TraceBinding(trace)
    return found + binding.variables_of(facts.native)
