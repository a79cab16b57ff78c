"""The fault operators. Each looks over a structure's source and says, statement by statement, what
the faulty program does instead and which lines a good answer may name; both before any run.

A fault that writes something wrong is answered by its own lines alone. One that executes nothing (a
dropped write, a skipped rebalance, a store of what is there already) has no statement of its own in
the history: there the answer may name a statement of the same operation that changes nodes: in the
same function, in the functions that call it, or in those it calls; or the statement itself, where
it runs at other times in the same operation. A fault that calls another
function, or one once more, is answered by its own line or by what that function changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.locating.faults.source import Call, Source, Span, Write

# Fields that order a structure, in the words of the programs.
KEYS = {"key", "value", "number", "x", "y"}

# What repairs the shape after a change: the calls that may be forgotten.
REPAIRERS = {"rebalance", "update_height", "mend_insertion", "mend_removal", "settle",
           "swap_children", "refill"}  # fmt: skip

# What takes a node out: the calls that may happen twice.
UNLINKERS = {"dlist_unlink", "unhook", "take", "replace_child", "remove_half"}

# Pairs that mirror each other.
MIRROR = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class Fault:
    """One place where an operator can act."""

    operator: str
    span: Span
    replacement: str  # with {n} for the number of the fault in a mutant
    accepted: frozenset[int]  # lines
    operation: frozenset[int]  # the lines that are accepted where the fault executes nothing
    executes: bool  # the fault itself changes nodes


def faults(source: Source) -> list[Fault]:
    """All faults of all operators, in the order of the operators and of the source."""
    return [fault for operator in OPERATORS.values() for fault in operator(source)]


def mutated(source: Source, chosen: list[Fault]) -> str:
    """The source with these faults in it, each line where it was. Two faults must not overlap."""
    text = source.text
    for number, fault in sorted(enumerate(chosen), key=lambda one: -one[1].span.start):
        replaced = text[fault.span.start : fault.span.end]
        line_ends = "\n" * replaced.count("\n")
        piece = fault.replacement.replace("{n}", str(number)) + line_ends
        text = text[: fault.span.start] + piece + text[fault.span.end :]
    return text


def _wrong_write(operator: str, source: Source, write: Write, text: str) -> Fault:
    """A fault that stores something else than it should."""
    operation = _operation(source, write.function, write.statement)
    lines = frozenset(write.statement.lines)
    return Fault(operator, write.statement, text, lines, operation, True)


def _store(write: Write, value: str) -> str:
    return f"fault_same({write.target} == ({value})); {write.target} = {value};"


def _operation(source: Source, function: str, but: Span) -> frozenset[int]:
    """The lines that change nodes in the operation that a missing statement belongs to."""
    functions = {function} | source.callers(function) | source.callees(function)
    return frozenset(source.change_lines(functions) - set(but.lines))


def _instead(write: Write, wrong: str, possible: str = "1") -> str:
    """The statement, or at the chosen execution the wrong one."""
    right = f"{write.target} = {write.value};"
    return f"{{ if (fault_now({{n}}, {possible})) {{ {wrong} }} else {right} }}"


def _value(write: Write) -> str:
    return f"__typeof__({write.target}) fault_value = {write.value};"


def _assignments(source: Source) -> Iterator[Write]:
    return (write for write in source.writes if write.value is not None)


def _pointers(source: Source) -> Iterator[Write]:
    return (write for write in _assignments(source) if write.pointee in source.nodes)


def dropped_write(source: Source) -> Iterator[Fault]:
    """The value is computed and not stored."""
    for write in source.writes:
        statement = source.text[write.statement.start : write.statement.end]
        if write.value is None:
            text = f"{{ if (!fault_now({{n}}, 1)) {' '.join(statement.split())} }}"
        else:
            text = _instead(write, f"(void)({write.value});")
        operation = _operation(source, write.function, write.statement)
        lines = operation | frozenset(write.statement.lines)
        yield Fault("dropped write", write.statement, text, lines, lines, False)


def null(source: Source) -> Iterator[Fault]:
    """NULL is stored for a pointer that is not NULL."""
    for write in _pointers(source):
        wrong = f"(void)({write.value}); {_store(write, 'NULL')}"
        yield _wrong_write("NULL", source, write, _instead(write, wrong))


def wild_pointer(source: Source) -> Iterator[Fault]:
    """An address that no node ever had."""
    for write in _pointers(source):
        wrong = f"(void)({write.value}); {_store(write, 'FAULT_WILD')}"
        yield _wrong_write("wild pointer", source, write, _instead(write, wrong))


def stale_pointer(source: Source) -> Iterator[Fault]:
    """The address of a node that was freed."""
    for write in _pointers(source):
        stale = f"fault_stale(sizeof *({write.target}))"
        wrong = f"(void)({write.value}); {_store(write, stale)}"
        yield _wrong_write("stale pointer", source, write, _instead(write, wrong))


def swapped_fields(source: Source) -> Iterator[Fault]:
    """The value goes into a sister field, and what stood there into this one."""
    for write in _assignments(source):
        for sister in _sisters(source, write):
            wrong = f"{_value(write)} {write.target} = {sister}; {sister} = fault_value;"
            yield _wrong_write("swapped fields", source, write, _instead(write, wrong))


def _sisters(source: Source, write: Write) -> Iterator[str]:
    fields = source.structs[write.struct]
    if write.index is not None:
        size = re.search(r"\[(\d+)\]", fields[write.field])
        if size:
            yield f"{write.owner}->{write.field}[(({write.index}) + 1) % {size.group(1)}]"
        return
    same = [name for name, kind in fields.items() if kind == fields[write.field]]
    if len(same) > 1:
        name = same[(same.index(write.field) + 1) % len(same)]
        yield f"{write.owner}->{name}"


def wrong_rotation(source: Source) -> Iterator[Fault]:
    """The mirror image of the function that should be called."""
    names = {call.callee for call in source.calls}
    for call in source.calls:
        mirrored = re.sub("left|right", lambda side: MIRROR[side.group()], call.callee)
        if mirrored == call.callee or mirrored not in names:
            continue
        arguments = ", ".join(call.arguments)
        text = (f"(fault_now({{n}}, 1) ? {mirrored}({arguments})"
                f" : {call.callee}({arguments}))")  # fmt: skip
        changes = source.change_lines({mirrored} | source.callees(mirrored))
        # Where the mirror image stops before it writes, nothing was executed.
        operation = _operation(source, call.function, call.expression)
        lines = frozenset(call.expression.lines) | changes | operation
        yield Fault("wrong rotation", call.expression, text, lines, operation, False)


def off_by_one_key(source: Source) -> Iterator[Fault]:
    """One more than the key."""
    for write in _assignments(source):
        if write.field in KEYS and write.integer:
            wrong = f"{_value(write)} {_store(write, 'fault_value + 1')}"
            yield _wrong_write("off-by-one key", source, write, _instead(write, wrong))


def skipped_rebalance(source: Source) -> Iterator[Fault]:
    """The call that would repair the shape is left out."""
    for call in source.calls:
        if call.callee not in REPAIRERS:
            continue
        arguments = ", ".join(call.arguments)
        kept = f"{call.callee}({arguments})"
        if call.statement is not None:
            span, text = call.statement, f"{{ if (!fault_now({{n}}, 1)) {kept}; }}"
        else:
            span, text = call.expression, f"(fault_now({{n}}, 1) ? {call.arguments[0]} : {kept})"
        lines = _operation(source, call.function, span) | frozenset(span.lines)
        yield Fault("skipped rebalance", span, text, lines, lines, False)


def early_free(source: Source) -> Iterator[Fault]:
    """The node that was just linked is freed."""
    for write in _pointers(source):
        wrong = f"{write.target} = fault_value; free({write.target});"
        text = (f"{{ {_value(write)} if (fault_now({{n}}, fault_value != NULL)) {{ {wrong} }}"
                f" else {write.target} = fault_value; }}")  # fmt: skip
        yield _wrong_write("early free", source, write, text)


def double_unlink(source: Source) -> Iterator[Fault]:
    """A node is taken out twice: by the same call again, or by a link that skips two."""
    for call in source.calls:
        if call.callee in UNLINKERS and call.statement is not None:
            text = _twice(call)
            changes = source.change_lines({call.callee} | source.callees(call.callee))
            lines = frozenset(call.expression.lines) | changes
            operation = _operation(source, call.function, call.expression)
            yield Fault("double unlink", call.statement, text, lines, operation, True)
    for write in _pointers(source):
        skipped = write.value or ""
        if write.field == "next" and re.fullmatch(r"\w+->next", skipped):
            possible = f"({skipped}) != NULL"
            wrong = _store(write, f"{skipped}->{write.field}")
            text = _instead(write, wrong, possible)
            yield _wrong_write("double unlink", source, write, text)


def _twice(call: Call) -> str:
    once = f"{call.callee}({', '.join(call.arguments)});"
    return f"{{ int fault_again = fault_now({{n}}, 1); {once} if (fault_again) {once} }}"


def lost_subtree(source: Source) -> Iterator[Fault]:
    """A link leads to a child of the node it should lead to."""
    for write in _pointers(source):
        child = _child_of(source, write.pointee or "")
        if child:
            wrong = _store(write, f"fault_value->{child}")
            text = (f"{{ {_value(write)} if (fault_now({{n}}, fault_value != NULL)) {{ {wrong} }}"
                    f" else {write.target} = fault_value; }}")  # fmt: skip
            yield _wrong_write("lost subtree", source, write, text)


def _child_of(source: Source, struct: str) -> str | None:
    """The first field that leads on to a node of the same struct."""
    for name, kind in source.structs[struct].items():
        found = re.fullmatch(rf"struct {struct} \*(\[\d+\])?", kind)
        if found:
            return f"{name}[0]" if found.group(1) else name
    return None


OPERATORS: dict[str, Callable[[Source], Iterator[Fault]]] = {
    "dropped write": dropped_write,
    "NULL": null,
    "wild pointer": wild_pointer,
    "stale pointer": stale_pointer,
    "swapped fields": swapped_fields,
    "wrong rotation": wrong_rotation,
    "off-by-one key": off_by_one_key,
    "skipped rebalance": skipped_rebalance,
    "early free": early_free,
    "double unlink": double_unlink,
    "lost subtree": lost_subtree,
}
