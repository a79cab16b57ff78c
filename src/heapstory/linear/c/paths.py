"""The loop-free paths of a function, as sub-operations in the notation of specifications."""

from __future__ import annotations

import re

from heapstory.linear.c.cir import Function, Instruction, Module
from heapstory.linear.c.instructions import NEGATED, Instructions
from heapstory.linear.c.walk import CannotModel, Term, Walk
from heapstory.linear.language.methods import SKIP

TAKES = {"dequeue", "pop"}
MOST_PATHS = 64


class Paths:
    """All paths of one function from entry to return."""

    def __init__(self, module: Module, function: Function, method: str, shared: str | None) -> None:
        self.module, self.function, self.method, self.shared = module, function, method, shared
        self.code = Instructions(module)
        self.found: list[Walk] = []
        self.helping: list[Walk] = []
        self.arguments: list[str] = []
        self._loops: dict[str, str] = {}
        self.headers = self._headers()

    def all(self) -> list[Walk]:
        """The paths; fills `helping` with retry iterations that change shared state."""
        walk = Walk({})
        for number, (kind, name) in enumerate(self.function.parameters):
            if number == 0 and self.shared and kind == f"%struct.{self.shared}*":
                walk.env[name] = Term("SHARED", struct=self.shared)
            elif kind in ("i32*", "i64*"):
                walk.env[name] = Term("out", place=True)
            else:
                walk.env[name] = Term(f"arg{number}")
                self.arguments.append(f"arg{number}")
        self._block(walk, self.function.entry, "")
        return self.found

    def _headers(self) -> set[str]:
        # targets of edges that go back to a block on the way: loops
        found: set[str] = set()
        state: dict[str, int] = {}

        def visit(block: str) -> None:
            state[block] = 1
            for target in self._targets(block):
                if state.get(target) == 1:
                    found.add(target)
                elif target not in state:
                    visit(target)
            state[block] = 2

        visit(self.function.entry)
        return found

    def _targets(self, block: str) -> list[str]:
        last = self.function.blocks[block][-1].text
        return re.findall(r"label %([\w.]+)", last)

    # -- blocks and loops -------------------------------------------------------------------------

    def _block(self, walk: Walk, block: str, came: str) -> None:
        if len(self.found) > MOST_PATHS:
            raise CannotModel("too many paths", self.function.blocks[block][0].line)
        code = self.function.blocks[block]
        phis = [i for i in code if i.text.startswith("phi ")]
        values = {p.target: self._phi(walk, p, came) for p in phis}
        if block in walk.blocks:
            self._back(walk, block, values, code[0].line)
            return
        if block in self.headers:
            if values and not walk.inline:
                self._traversal(walk, block, came, phis, values)
                return
            walk.entered[block] = len(walk.steps)
        walk.env.update(values)
        walk.blocks.append(block)
        self._run(walk, block, code[len(phis) :])

    def _phi(self, walk: Walk, phi: Instruction, came: str) -> Term:
        for value, source in re.findall(r"\[ ([^,]+), %([\w.]+) \]", phi.text):
            if source == came:
                return self.code.value(walk, value)
        raise CannotModel("a value with no source", phi.line)

    def _back(self, walk: Walk, block: str, values: dict[str, Term], line: int) -> None:
        if walk.inline == block:
            self._iterations.append((walk, values))
            return
        if walk.inline:
            raise CannotModel("a loop inside a loop", line)
        start = walk.entered.get(block, 0)
        changed = [i for i in walk.effects if i >= start]
        if not changed:
            return  # a pure retry: as if it had not been tried
        if walk.held:
            raise CannotModel("a loop that changes shared state while it holds a lock", line)
        self._help(walk, start, line)

    def _help(self, walk: Walk, start: int, line: int) -> None:
        steps = walk.steps[start:]
        text = " ".join(step for step, _ in steps)
        names = set(re.findall(r"\b(v_\w+|arg\d+)\b", text))
        given = set(re.findall(r"\b(v_\w+) = ", text))
        if names - given:
            raise CannotModel(
                "a retry that changes shared state and depends on what was before", line
            )
        alone = Walk({}, steps, locals={n: walk.locals[n] for n in names})
        if all(alone.plain() != other.plain() for other in self.helping):
            self.helping.append(alone)

    def _traversal(
        self, walk: Walk, block: str, came: str, phis: list[Instruction], values: dict[str, Term]
    ) -> None:
        """A loop that walks along pointers: found once with loads as expressions, then left."""
        names = {}
        for phi in phis:
            name = self.code.name(phi.target)
            kind = self.code.kind(phi.text.split()[1])
            walk.locals[name] = kind
            walk.emit(f"{name} = {self.code.text(values[phi.target], phi.line)};", phi.line)
            names[phi.target] = Term(name)
        probe = walk.copy()
        probe.env.update(names)
        probe.inline = block
        probe.blocks = [block]
        probe.guards, probe.steps, probe.effects = [], [], []
        self._iterations: list[tuple[Walk, dict[str, Term]]] = []
        kept = (self.found, self.helping)
        self.found, self.helping = [], []
        code = self.function.blocks[block]
        self._run(probe, block, code[len(phis) :])
        self.found, self.helping = kept
        for done, after in self._iterations:
            self._loop_step(walk, done, after, names, code[0].line)
        walk.env.update(names)
        walk.blocks.append(block)
        walk.entered[block] = len(walk.steps)
        self._exits(walk, block, code[len(phis) :])

    def _loop_step(
        self, walk: Walk, done: Walk, after: dict[str, Term], names: dict[str, Term], line: int
    ) -> None:
        if done.effects or done.steps:
            raise CannotModel("a loop that changes shared state", line)
        body = [
            (names[target].text, self.code.text(value, line))
            for target, value in after.items()
            if value.text != names[target].text
        ]
        moves = self._in_turn(walk, body)
        reads = len(set(re.findall(r"v_\w+\.\w+", " ".join([*done.guards, moves]))))
        if reads > 1 and not walk.held and len(body) > 0 and self._moving(done, moves) > 1:
            raise CannotModel("a walk that reads more than one changing field in a turn", line)
        checks = " ".join(f"{g};" for g in done.guards)
        walk.steps.append((f"1 loop < {checks} > {moves}", line))

    @staticmethod
    def _in_turn(walk: Walk, body: list[tuple[str, str]]) -> str:
        """Values that change at once, one after the other: none before the others have used it;
        where that cannot be, by way of fresh names."""
        done, waiting = [], dict(body)

        def used(name: str) -> bool:
            others = (text for other, text in waiting.items() if other != name)
            return any(re.search(rf"\b{name}\b", text) for text in others)

        while waiting and (free := [name for name in waiting if not used(name)]):
            done.append(f"{free[0]} = {waiting.pop(free[0])};")
        for name, text in waiting.items():
            walk.locals[f"{name}_next"] = walk.locals[name]
            done.append(f"{name}_next = {text};")
        return " ".join([*done, *(f"{name} = {name}_next;" for name in waiting)])

    def _moving(self, done: Walk, first: str) -> int:
        # Fields of pointer type may change; keys and values are taken as written once.
        fields = {f for s in self.module.structs.values() for f, kind in s if kind.endswith("*")}
        text = " ".join([*done.guards, first])
        return len({m for m in re.findall(r"v_\w+\.(\w+)", text) if m in fields})

    def _exits(self, walk: Walk, block: str, code: list[Instruction]) -> None:
        # Ways round the loop are in the loop step already; here they end.
        before = list(self.helping)
        walk.entered[block] = 10**9
        self._run(walk, block, code)
        self.helping = before

    # -- instructions -----------------------------------------------------------------------------

    def _run(self, walk: Walk, block: str, code: list[Instruction]) -> None:
        for number, instruction in enumerate(code):
            text = instruction.text
            op = text.split()[0]
            if op == "br":
                self._branch(walk, block, instruction)
                return
            if op == "ret":
                self._return(walk, instruction)
                return
            if op == "cmpxchg":
                self._cas(walk, block, instruction, code[number + 1 :])
                return
            if op == "unreachable":
                return
            self.code.do(walk, instruction)

    def _branch(self, walk: Walk, block: str, instruction: Instruction) -> None:
        targets = re.findall(r"label %([\w.]+)", instruction.text)
        if len(targets) == 1:
            self._block(walk, targets[0], block)
            return
        tested = re.search(r"br i1 ([^,]+),", instruction.text)
        assert tested is not None
        term = self.code.value(walk, tested[1])
        for truth, target in zip((True, False), targets, strict=True):
            for taken in self._assume(walk, term, truth, instruction.line):
                self._block(taken, target, block)

    def _assume(self, walk: Walk, term: Term, truth: bool, line: int) -> list[Walk]:
        if term.truth is not None:
            return [walk.copy()] if term.truth == truth else []
        if term.condition is None:
            raise CannotModel("a branch on something that is not a comparison", line)
        left, op, right = term.condition
        if not truth:
            op = NEGATED[op]
        if left == right:
            return [walk.copy()] if op in ("==", "<=", ">=") else []
        taken = walk.copy()
        if left in ("NULL", "0") or left.lstrip("-").isdigit():
            left, right = right, left
            op = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)
        fact = f"{left} {op} {right}"
        if f"{left} {NEGATED[op]} {right}" in taken.facts:
            return []
        if fact not in taken.facts:
            taken.guards.append(fact)
            taken.facts.add(fact)
        return [taken]

    def _cas(
        self, walk: Walk, block: str, instruction: Instruction, rest: list[Instruction]
    ) -> None:
        match = re.match(
            r"cmpxchg (?:weak )?(?:volatile )?\S+ (\S+), \S+ (\S+), \S+ (\S+) (\w+) (\w+)",
            instruction.text,
        )
        if match is None or match[4] != "seq_cst":
            raise CannotModel("an atomic that is not sequentially consistent", instruction.line)
        place = self.code.place(walk, match[1], instruction.line)
        old, new = (
            self.code.text(self.code.value(walk, m), instruction.line) for m in match.group(2, 3)
        )
        won = walk.copy()
        won.emit(f"{place} = {new};", instruction.line, f"{place} == {old}", effect=True)
        won.private.discard(new)
        won.env[instruction.target] = Term(old, truth=True)
        lost = walk.copy()
        seen = self.code.local(lost, instruction.target, "i64", place)
        lost.emit(f"{seen} = {place};", instruction.line, f"{place} != {old}")
        lost.env[instruction.target] = Term(seen, truth=False)
        for one in (won, lost):
            self._run(one, block, rest)

    def _return(self, walk: Walk, instruction: Instruction) -> None:
        if walk.inline:
            return
        words = instruction.text.split()
        line = instruction.line
        if walk.held:
            raise CannotModel("returns with a lock held", line)
        if words[1] == "void" or self.method in ("enqueue", "push", "write", SKIP):
            walk.emit("return;", line)
            self.found.append(walk)
            return
        term = self.code.value(walk, words[2])
        if term.condition is not None:
            for truth in (True, False):
                for taken in self._assume(walk, term, truth, line):
                    self._answer(taken, "1" if truth else "0", line)
        elif term.truth is not None:
            self._answer(walk, "1" if term.truth else "0", line)
        else:
            self._answer(walk, self.code.text(term, line), line)

    def _answer(self, walk: Walk, answer: str, line: int) -> None:
        if self.method in TAKES:
            if any(kind in ("i32*", "i64*") for kind, _ in self.function.parameters):
                answer = "EMPTY" if answer == "0" else walk.out
            elif answer == "-1":
                answer = "EMPTY"
        walk.emit(f"return {answer};", line)
        self.found.append(walk)
