"""What a function asks of its pointers, as far as its text tells."""

from __future__ import annotations

from heapstory.cfront import program as op
from heapstory.cfront.liveness import reaches
from heapstory.cfront.program import Block, Function

TWICE = 2
_NULL_ALLOWED = ("@free", "@realloc", "@reallocarray")


def asked_again(function: Function) -> tuple[int, ...]:
    """Parameters that the function puts pointers behind, and asks more than once whether they are
    null: what it learns of them the first time decides what it keeps the second time."""
    homes = _homes(function)
    asked: dict[int, int] = {}
    filled: set[int] = set()
    for block in function.blocks.values():
        meant = dict(homes)
        for statement in block.statements:
            if statement[0] == op.COPY and statement[3] in meant:
                meant[statement[2]] = meant[statement[3]]
            elif statement[0] == op.ICMP and statement[5] == 0 and statement[4] in meant:
                name = meant[statement[4]]
                asked[name] = asked.get(name, 0) + 1
            elif statement[0] == op.STORE and statement[6] and statement[2] in meant:
                filled.add(meant[statement[2]])
    return tuple(sorted(name for name in filled if asked.get(name, 0) >= TWICE))


def _homes(function: Function) -> dict[object, int]:
    """Variables that hold a parameter from beginning to end."""
    homes: dict[object, int] = {}
    for number, (register, pointer) in enumerate(function.parameters):
        targets = [
            statement[2]
            for block in function.blocks.values()
            for statement in block.statements
            if pointer and statement[0] == op.ASSIGN and statement[3] == register
        ]
        homes.update((v, number) for v in targets if len(_assigned(function, v)) == 1)
    return homes


def unasked_results(function: Function) -> frozenset[str]:
    """The registers of results of calls that the function uses, and that nothing compares with
    null: neither themselves nor the variables and members that take them."""
    names = _followed_names(function)
    asked: set[str] = set()
    used: set[str] = set()
    for block in function.blocks.values():
        places = _members(block)
        for statement in block.statements:
            kind = statement[0]
            if kind in (op.ICMP, op.SELECT, op.BIN):
                asked.update(*(names.get(o, ()) for o in statement[3:6] if isinstance(o, str)))
            elif kind == op.STORE:
                used.update(names.get(statement[2], ()))
                if _member(statement[2], places) is None:  # it may be asked for elsewhere
                    asked.update(names.get(statement[3], ()))
            elif kind in (op.LOAD, op.GEP):
                used.update(names.get(statement[3], ()))
            elif kind == op.CALL and statement[3] not in _NULL_ALLOWED:
                used.update(*(names.get(o, ()) for o in statement[4] if isinstance(o, str)))
    return frozenset(used - asked)


def _members(block: Block) -> dict[str, str | None]:
    """By the register of an address: the member that is meant, whichever structure it is of."""
    return {
        statement[2]: None if statement[5] else f"+{statement[4]}"
        for statement in block.statements
        if statement[0] == op.GEP
    }


def _member(address: object, places: dict[str, str | None]) -> str | None:
    """The name of what lies at an address; None for an element."""
    if isinstance(address, tuple):
        return f"{address[0]}+{address[1]}"
    return places.get(address, "+0") if isinstance(address, str) else None


def _followed_names(function: Function) -> dict[object, set[str]]:
    """By name: the results of calls that it may hold, in any order of the statements."""
    found: dict[object, set[str]] = {}
    moves: list[tuple[str, str]] = []
    for block in function.blocks.values():
        places = _members(block)
        for statement in block.statements:
            if statement[0] == op.CALL and statement[2] is not None:
                found.setdefault(statement[2], set()).add(statement[2])
            elif statement[0] in (op.COPY, op.ASSIGN) and isinstance(statement[3], str):
                moves.append((statement[2], statement[3]))
            elif statement[0] == op.STORE and isinstance(statement[3], str):
                member = _member(statement[2], places)
                moves += [] if member is None else [(member, statement[3])]
            elif statement[0] == op.LOAD:
                member = _member(statement[3], places)
                moves += [] if member is None else [(statement[2], member)]
        for name, sources in block.phis:
            moves += [(name, source) for source in sources.values() if isinstance(source, str)]
    changed = True
    while changed:
        changed = False
        for name, source in moves:
            more = found.get(source, set()) - found.get(name, set())
            if more:
                found.setdefault(name, set()).update(more)
                changed = True
    return found


def returned_names(function: Function) -> dict[str, str]:
    """By the label of a block that returns a value: what the value is called where the block
    begins."""
    found: dict[str, str] = {}
    for block in function.blocks.values():
        if block.terminator[0] != op.RETURN or not isinstance(block.terminator[2], str):
            continue
        name = block.terminator[2]
        for statement in reversed(block.statements):
            if statement[0] == op.COPY and statement[2] == name:
                name = str(statement[3])
        found[block.label] = name
    return found


def asks_if_set(function: Function, block: Block) -> bool:
    """Whether a block branches on a variable that was set to null, and then, on one way that
    leads here, to something else: it asks which way was taken."""
    variable = _branched_on(block)
    if variable is None:
        return False
    found = _assigned(function, variable)
    empty = [label for label, value in found if value == 0]
    other = [label for label, value in found if value != 0]
    return len(other) == 1 and any(
        label != other[0] and reaches(function, label, block.label, other[0]) for label in empty
    )


def _branched_on(block: Block) -> str | None:
    """The variable of the source that the end of a block compares with null."""
    if block.terminator[0] != op.BRANCH:
        return None
    name = block.terminator[2]
    for statement in reversed(block.statements):
        if len(statement) > 2 and statement[2] == name:
            if statement[0] == op.ICMP and statement[5] == 0:
                name = statement[4]
            elif statement[0] == op.COPY:
                return str(statement[3])
            else:
                return None
    return None


def _assigned(function: Function, variable: str) -> list[tuple[str, object]]:
    """The blocks that assign a variable, and what."""
    return [
        (block.label, statement[3])
        for block in function.blocks.values()
        for statement in block.statements
        if statement[0] == op.ASSIGN and statement[2] == variable
    ]
