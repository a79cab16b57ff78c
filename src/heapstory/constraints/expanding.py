"""One-liners: finding the type they speak of and writing out what they stand for."""

from __future__ import annotations

from dataclasses import replace

from heapstory.constraints import syntax
from heapstory.constraints.oneliners import ONE_LINERS, Form
from heapstory.constraints.schema import Entry, Schema
from heapstory.parsing import did_you_mean


def expand(
    line: syntax.OneLiner, schema: Schema, variables: dict[str, Entry]
) -> tuple[Entry, list[syntax.Constraint]]:
    """The type of a one-liner and its constraints, over variables X and Y of that type."""
    form = ONE_LINERS[line.call.name]
    entry, names = _arguments(line, form, schema, variables)
    prefix = line.name or f"{entry.name}.{line.call.name}"
    return entry, _written_out(prefix, entry, form, names, line.at)


def _written_out(
    prefix: str, entry: Entry, form: Form, names: list[str], at: syntax.At
) -> list[syntax.Constraint]:
    from heapstory.constraints.reading import parse

    given = len(names) - len(form.arguments)
    values = dict(zip(form.arguments, names[given:], strict=True))
    values["fields"] = ", ".join(f"{entry.name}.{name}" for name in names[:given])
    found: list[syntax.Constraint] = []
    for text in form.lines:
        (statement,) = parse(text.format(**values), f"<{prefix}>").statements
        if isinstance(statement, syntax.OneLiner):
            inner = [_plain_name(arg) for arg in statement.call.args]
            bare = [name.removeprefix(f"{entry.name}.") for name in inner]
            found += _written_out(prefix, entry, ONE_LINERS[statement.call.name], bare, at)
        elif isinstance(statement, syntax.Constraint):
            found.append(_placed(statement, f"{prefix}.{statement.name}", at))
    return found


def _placed(constraint: syntax.Constraint, name: str, at: syntax.At) -> syntax.Constraint:
    guard = _moved(constraint.guard, at) if constraint.guard is not None else None
    return replace(constraint, name=name, guard=guard, body=_moved(constraint.body, at), at=at)


def _moved(term: syntax.Term, at: syntax.At) -> syntax.Term:
    """The same term, all of it at the place of the one-liner, for errors."""
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
) -> tuple[Entry, list[str]]:
    call = line.call
    names = [_plain_name(arg) for arg in call.args]
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
    if len(names) < wanted or (len(names) > wanted and not form.fields):
        raise schema.fail(f"wrong number of fields: {form.usage(call.name)}", line.at)
    return entry or _type_with(names, line, schema), names


def _type_with(names: list[str], line: syntax.OneLiner, schema: Schema) -> Entry:
    """The one declared type that has all these fields."""
    found = [e for e in schema.declared() if set(names) <= set(e.field_names())]
    if len(found) == 1:
        return found[0]
    if found:
        which = " or ".join(entry.name for entry in found)
        raise schema.fail(
            f"{line.call.name} could speak of {which}: name the type as the first argument", line.at
        )
    for name in names:
        known = [n for entry in schema.declared() for n in entry.field_names()]
        if name not in known:
            hint = did_you_mean(name, known)
            raise schema.fail(f"no declared type has a field '{name}'{hint}", line.at)
    raise schema.fail(f"no declared type has all of {', '.join(names)}", line.at)


def _plain_name(term: syntax.Term) -> str:
    if isinstance(term, syntax.Name):
        return term.text
    if isinstance(term, syntax.Member):
        return f"{_plain_name(term.base)}.{term.name}"
    return ""
