"""Order of blocks, liveness of names as bit-vectors, and where temporaries end."""

from __future__ import annotations

from heapstory.cfront import program as op
from heapstory.cfront.program import Block, Function, Statement, Terminator

_RESULTLESS = frozenset((op.STORE, op.FENCE))
_ONE_OPERAND = frozenset((op.COPY, op.ASSIGN, op.LOAD, op.GATHER, op.CAST, op.EXTRACT))


def successors(terminator: Terminator) -> list[str]:
    """The labels a terminator can go to."""
    kind = terminator[0]
    if kind == op.JUMP:
        return [terminator[2]]
    if kind == op.BRANCH:
        return [terminator[3], terminator[4]]
    if kind == op.SWITCH:
        return [terminator[3], *(label for _, label in terminator[4])]
    return []


def reaches(function: Function, origin: str, goal: str, around: str | None = None) -> bool:
    """Whether a block can be reached from another, in at least one step, around a third."""
    seen = {around}
    pending = [origin]
    while pending:
        for label in successors(function.blocks[pending.pop()].terminator):
            if label == goal:
                return True
            if label not in seen:
                seen.add(label)
                pending.append(label)
    return False


def uses(statement: Statement) -> list[str]:
    """The names a statement reads."""
    kind = statement[0]
    operands: tuple[object, ...]
    if kind == op.GEP:
        operands = (statement[3], *[term[0] for term in statement[5]])
    elif kind == op.CALL:
        operands = statement[4]
        if type(statement[3]) is str and statement[3][0] == "%":
            operands = (statement[3], *operands)
    elif kind == op.STORE:
        operands = statement[2:4]
    elif kind in _ONE_OPERAND:
        operands = statement[3:4]
    elif kind in (op.ICMP, op.BIN):
        operands = statement[4:6]
    elif kind in (op.SELECT, op.CMPXCHG):
        operands = statement[3:6]
    elif kind == op.RMW:
        operands = statement[4:6]
    elif kind == op.ASM:
        operands = statement[3]
    else:
        operands = ()
    return [operand for operand in operands if type(operand) is str]


def read_names(function: Function) -> set[str]:
    """The names that something in a function reads."""
    found: set[str] = set()
    for block in function.blocks.values():
        for statement in block.statements:
            found.update(uses(statement))
        for _, sources in block.phis:
            found.update(value for value in sources.values() if type(value) is str)
        if block.terminator[0] in (op.BRANCH, op.SWITCH, op.RETURN):
            value = block.terminator[2]
            if type(value) is str:
                found.add(value)
    return found


def defined(statement: Statement) -> str | None:
    """The name a statement gives a value."""
    return None if statement[0] in _RESULTLESS else statement[2]


def annotate(function: Function) -> None:
    """Fill in order, joins, liveness and deaths."""
    _drop_unreachable(function)
    _order(function)
    live_out = _liveness(function)
    for label, block in function.blocks.items():
        _deaths(block, live_out[label], function)
    _loops(function)


def _drop_unreachable(function: Function) -> None:
    seen = {function.entry}
    stack = [function.entry]
    while stack:
        for label in successors(function.blocks[stack.pop()].terminator):
            if label not in seen and label in function.blocks:
                seen.add(label)
                stack.append(label)
    function.blocks = {k: b for k, b in function.blocks.items() if k in seen}


def _order(function: Function) -> None:
    """Reverse postorder, without recursion; marks joins and loop heads on the way."""
    blocks = function.blocks
    counts: dict[str, int] = {}
    finished: list[str] = []
    state: dict[str, int] = {function.entry: 1}
    stack = [(function.entry, iter(successors(blocks[function.entry].terminator)))]
    while stack:
        label, rest = stack[-1]
        for target in rest:
            counts[target] = counts.get(target, 0) + 1
            if state.get(target) == 1:
                blocks[target].loops = True
            if target not in state:
                state[target] = 1
                stack.append((target, iter(successors(blocks[target].terminator))))
                break
        else:
            state[label] = 2
            finished.append(label)
            stack.pop()
    function.order = {label: number for number, label in enumerate(reversed(finished))}
    for label, count in counts.items():
        blocks[label].joins = count > 1 or blocks[label].loops


def _loops(function: Function) -> None:
    """What every loop assigns: its head must not take the first round for all rounds."""
    before: dict[str, list[str]] = {}
    for label, block in function.blocks.items():
        for target in successors(block.terminator):
            before.setdefault(target, []).append(label)
    for label, block in function.blocks.items():
        if not block.loops:
            continue
        ends = [b for b in before[label] if function.order[b] >= function.order[label]]
        inside = {label}
        stack = list(ends)
        while stack:
            each = stack.pop()
            if each not in inside:
                inside.add(each)
                stack.extend(before.get(each, ()))
        assigned: set[str] = set()
        stepped: set[str] = set()
        for each in inside:
            _assignments(function.blocks[each], assigned, stepped)
        block.changes = frozenset(assigned)
        block.steps = frozenset(stepped)


def _assignments(block: Block, assigned: set[str], stepped: set[str]) -> None:
    origin: dict[str, str] = {}
    for statement in block.statements:
        if statement[0] == op.COPY and type(statement[3]) is str:
            origin[statement[2]] = statement[3]
        elif statement[0] == op.GEP and type(statement[3]) is str:
            origin[statement[2]] = "+" + origin.get(statement[3], statement[3]).lstrip("+")
        elif statement[0] == op.ASSIGN:
            assigned.add(statement[2])
            if origin.get(statement[3]) == "+" + statement[2]:
                stepped.add(statement[2])


def _liveness(function: Function) -> dict[str, frozenset[str]]:
    order: dict[str, int] = {}

    def bit(name: str) -> int:
        return 1 << order.setdefault(name, len(order))

    reads: dict[str, int] = {}
    writes: dict[str, int] = {}
    edges: dict[tuple[str, str], int] = {}
    for label, block in function.blocks.items():
        read = written = 0
        for target, sources in block.phis:
            written |= bit(target)
            for origin, operand in sources.items():
                if type(operand) is str:
                    edges[origin, label] = edges.get((origin, label), 0) | bit(operand)
        for statement in block.statements:
            for name in uses(statement):
                read |= bit(name) & ~written
            target_name = defined(statement)
            if target_name is not None:
                written |= bit(target_name)
        operand = block.terminator[2] if len(block.terminator) > 2 else None
        if block.terminator[0] != op.JUMP and type(operand) is str:
            read |= bit(operand) & ~written
        reads[label], writes[label] = read, written
    live_in, live_out = _solve(function, reads, writes, edges)
    names = list(order)
    cache: dict[int, frozenset[str]] = {}

    def unpack(vector: int) -> frozenset[str]:
        if vector not in cache:
            cache[vector] = frozenset(
                names[i] for i in range(vector.bit_length()) if vector >> i & 1
            )
        return cache[vector]

    for label, block in function.blocks.items():
        block.live = unpack(live_in[label]) | {target for target, _ in block.phis}
    return {label: unpack(vector) for label, vector in live_out.items()}


def _solve(
    function: Function,
    reads: dict[str, int],
    writes: dict[str, int],
    edges: dict[tuple[str, str], int],
) -> tuple[dict[str, int], dict[str, int]]:
    live_in = dict.fromkeys(function.blocks, 0)
    live_out = dict.fromkeys(function.blocks, 0)
    labels = sorted(function.blocks, key=lambda name: -function.order[name])
    changed = True
    while changed:
        changed = False
        for label in labels:
            out = 0
            for target in successors(function.blocks[label].terminator):
                out |= live_in[target] | edges.get((label, target), 0)
            into = reads[label] | (out & ~writes[label])
            live_out[label] = out
            if into != live_in[label]:
                live_in[label] = into
                changed = True
    return live_in, live_out


def _deaths(block: Block, live_out: frozenset[str], function: Function) -> None:
    """The statement after which a temporary is never read again (variables outlive their uses)."""
    seen = set(live_out)
    seen.update(function.variables)
    operand = block.terminator[2] if len(block.terminator) > 2 else None
    if type(operand) is str:
        seen.add(operand)
    for index in range(len(block.statements) - 1, -1, -1):
        statement = block.statements[index]
        ending = [name for name in uses(statement) if name not in seen]
        target = defined(statement)
        if target is not None and target not in seen and statement[0] == op.CALL:
            ending.append(target)
        if ending:
            block.deaths[index] = tuple(dict.fromkeys(ending))
            seen.update(ending)
