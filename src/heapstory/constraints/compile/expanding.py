"""One-liners: finding the type they speak of and writing out what they stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heapstory.constraints.compile.schema import Entry, Schema
from heapstory.constraints.language import syntax
from heapstory.constraints.language.oneliners import ONE_LINERS, Form
from heapstory.constraints.language.reading import parse
from heapstory.constraints.language.syntax import dotted
from heapstory.parsing import did_you_mean


@dataclass(frozen=True, slots=True)
class Expanded:
    """What a one-liner says of a type, over variables X and Y of it, and of the type that holds
    its ends, over X."""

    entry: Entry
    constraints: list[syntax.Constraint]
    holder: Entry | None = None
    of_holder: tuple[syntax.Constraint, ...] = ()


def expand(line: syntax.OneLiner, schema: Schema, variables: dict[str, Entry]) -> Expanded:
    """Writes a one-liner out."""
    form = ONE_LINERS[line.call.name]
    entry, names, ends = _arguments(line, form, schema, variables)
    prefix = line.name or f"{entry.name}.{line.call.name}"
    constraints = _written_out(prefix, entry, form, names, line.at)
    if not ends:
        return Expanded(entry, constraints)
    holder = schema.find(_of(ends[0])[0])
    values = dict(zip(form.arguments, names[len(names) - len(form.arguments) :], strict=True))
    values |= {end: _of(given)[1] for end, given in zip(form.ends, ends, strict=True)}
    values["type"] = entry.name
    of_holder = (_one(text.format(**values), prefix, line.at) for text in form.end_lines)
    return Expanded(entry, constraints, holder, tuple(of_holder))


def root_of(line: syntax.OneLiner, schema: Schema) -> tuple[Entry, str] | None:
    """The type of a one-liner that says where its structures begin, and the field they begin at."""
    form = ONE_LINERS[line.call.name]
    if not _apart([dotted(arg) for arg in line.call.args], form, schema)[1]:
        return None
    entry, _, ends = _arguments(line, form, schema, {})
    return (entry, ends[0]) if ends else None


def _of(name: str) -> tuple[str, str]:
    """The type and the field of ``list.head``."""
    head, _, rest = name.partition(".")
    return head, rest


def _one(text: str, prefix: str, at: syntax.At) -> syntax.Constraint:
    (statement,) = parse(text, f"<{prefix}>").statements
    assert isinstance(statement, syntax.Constraint)
    return _named(statement, f"{prefix}.{statement.name}", at)


def _written_out(
    prefix: str, entry: Entry, form: Form, names: list[str], at: syntax.At
) -> list[syntax.Constraint]:
    given = len(names) - len(form.arguments)
    values = dict(zip(form.arguments, names[given:], strict=True))
    values["fields"] = ", ".join(f"{entry.name}.{name}" for name in names[:given])
    found: list[syntax.Constraint] = []
    for text in form.lines:
        (statement,) = parse(text.format(**values), f"<{prefix}>").statements
        if isinstance(statement, syntax.OneLiner):
            inner = [dotted(arg) for arg in statement.call.args]
            bare = [name.removeprefix(f"{entry.name}.") for name in inner]
            found += _written_out(prefix, entry, ONE_LINERS[statement.call.name], bare, at)
        elif isinstance(statement, syntax.Constraint):
            found.append(_named(statement, f"{prefix}.{statement.name}", at))
    return found


def _named(constraint: syntax.Constraint, name: str, at: syntax.At) -> syntax.Constraint:
    guard = _moved(constraint.guard, at) if constraint.guard is not None else None
    return replace(constraint, name=name, guard=guard, body=_moved(constraint.body, at), at=at)


def _moved(term: syntax.Term, at: syntax.At) -> syntax.Term:
    """The same term, all of it where the one-liner is, for errors."""
    match term:
        case syntax.Member(base=base):
            return replace(term, base=_moved(base, at), at=at)
        case syntax.Index(base=base, items=items):
            moved = tuple(_moved(item, at) for item in items)
            return replace(term, base=_moved(base, at), items=moved, at=at)
        case syntax.Call(args=args) | syntax.Operation(args=args):
            return replace(term, args=tuple(_moved(arg, at) for arg in args), at=at)
        case syntax.Connection(source=source, target=target):
            return replace(term, source=_moved(source, at), target=_moved(target, at), at=at)
        case syntax.Exists(body=body):
            return replace(term, body=_moved(body, at), at=at)
    return replace(term, at=at)


def _arguments(
    line: syntax.OneLiner, form: Form, schema: Schema, variables: dict[str, Entry]
) -> tuple[Entry, list[str], list[str]]:
    """The type, its fields, and the ends."""
    call = line.call
    names = [dotted(arg) for arg in call.args]
    if not all(names):
        raise schema.fail(f"{form.usage(call.name)} takes names of fields", line.at)
    entry = None
    if names:
        head, _, rest = names[0].partition(".")
        declared = {e.name: e for e in schema.entries}
        entry = declared.get(head) or variables.get(head)
        if entry is not None:
            names = [rest, *names[1:]] if rest else names[1:]
    wanted = len(form.arguments) + (1 if form.fields else 0)
    names, ends = _apart(names, form, schema)
    if len(names) < wanted or (len(names) > wanted and not form.fields):
        raise schema.fail(f"wrong number of fields: {form.usage(call.name)}", line.at)
    return entry or _type_with(names, line, schema), names, ends


def _apart(names: list[str], form: Form, schema: Schema) -> tuple[list[str], list[str]]:
    """The fields of the type itself, and the ends: the last ones, if they are of another type."""
    count = len(form.ends)
    wanted = len(form.arguments) + count
    if not count or (len(names) <= count if form.fields else len(names) != wanted):
        return names, []
    ends = names[-count:]
    holders = {_of(name)[0] for name in ends}
    if len(holders) > 1 or not all("." in name for name in ends):
        return names, []
    (holder,) = holders
    spoken_of = [e for e in schema.declared() if _has(e, names[:-count])]
    own = any(
        e.name == holder or holder in {*e.layout.prefixes(), *e.field_names()} for e in spoken_of
    )
    return (names, []) if own or schema.find(holder) is None else (names[:-count], ends)


def _has(entry: Entry, names: list[str]) -> bool:
    """Whether these are fields of a type, elements of its arrays, or begin with such a one:
    ``key``, ``child[0]``, ``data.key``."""
    known = entry.field_names()
    begun = tuple(f"{name}{sign}" for name in known for sign in ".[")
    return all(name in known or name.startswith(begun) for name in names)


def _type_with(names: list[str], line: syntax.OneLiner, schema: Schema) -> Entry:
    """The one declared type that has all these fields."""
    found = [e for e in schema.declared() if _has(e, names)]
    if len(found) == 1:
        return found[0]
    if found:
        which = " or ".join(entry.name for entry in found)
        raise schema.fail(
            f"{line.call.name} could speak of {which}: name the type as the first argument", line.at
        )
    for name in names:
        if not any(_has(entry, [name]) for entry in schema.declared()):
            known = [n for entry in schema.declared() for n in entry.field_names()]
            hint = did_you_mean(name, known)
            raise schema.fail(f"no declared type has a field '{name}'{hint}", line.at)
    raise schema.fail(f"no declared type has all of {', '.join(names)}", line.at)
