"""The loop-free paths of a function, as sub-operations in the notation of specifications."""

from __future__ import annotations

import re

from heapstory.linear.cir import Function, Instruction, Module
from heapstory.linear.cwalk import NULL, CannotModel, Term, Walk
from heapstory.linear.methods import SKIP

CONDITIONS = {
    "eq": "==",
    "ne": "!=",
    "slt": "<",
    "ult": "<",
    "sle": "<=",
    "ule": "<=",
    "sgt": ">",
    "ugt": ">",
    "sge": ">=",
    "uge": ">=",
}
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
TAKES = {"dequeue", "pop"}
MOST_PATHS = 64


class Paths:
    """All paths of one function from entry to return."""

    def __init__(self, module: Module, function: Function, method: str, shared: str | None) -> None:
        self.module, self.function, self.method, self.shared = module, function, method, shared
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
                return self._value(walk, value)
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
            name = self._name(phi.target)
            kind = self._kind(phi.text.split()[1])
            walk.locals[name] = kind
            walk.emit(f"{name} = {self._text(values[phi.target], phi.line)};", phi.line)
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
            (names[target].text, self._text(value, line))
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
            handler = getattr(self, f"_do_{op}", None)
            if handler is None:
                raise CannotModel(f"'{op}' is not covered", instruction.line)
            handler(walk, instruction)

    def _branch(self, walk: Walk, block: str, instruction: Instruction) -> None:
        targets = re.findall(r"label %([\w.]+)", instruction.text)
        if len(targets) == 1:
            self._block(walk, targets[0], block)
            return
        tested = re.search(r"br i1 ([^,]+),", instruction.text)
        assert tested is not None
        term = self._value(walk, tested[1])
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
        place = self._place(walk, match[1], instruction.line)
        old, new = (self._text(self._value(walk, m), instruction.line) for m in match.group(2, 3))
        won = walk.copy()
        won.emit(f"{place} = {new};", instruction.line, f"{place} == {old}", effect=True)
        won.private.discard(new)
        won.env[instruction.target] = Term(old, truth=True)
        lost = walk.copy()
        seen = self._local(lost, instruction.target, "i64", place)
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
        term = self._value(walk, words[2])
        if term.condition is not None:
            for truth in (True, False):
                for taken in self._assume(walk, term, truth, line):
                    self._answer(taken, "1" if truth else "0", line)
        elif term.truth is not None:
            self._answer(walk, "1" if term.truth else "0", line)
        else:
            self._answer(walk, self._text(term, line), line)

    def _answer(self, walk: Walk, answer: str, line: int) -> None:
        if self.method in TAKES:
            if any(kind in ("i32*", "i64*") for kind, _ in self.function.parameters):
                answer = "EMPTY" if answer == "0" else walk.out
            elif answer == "-1":
                answer = "EMPTY"
        walk.emit(f"return {answer};", line)
        self.found.append(walk)

    # each _do_ handles one kind of instruction

    def _do_bitcast(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"\w+ \S+ (.+) to (\S+)", i.text)
        assert match is not None
        source = self._value(walk, match[1])
        if source.text == "malloc":
            struct = self._kind(match[2])
            name = self._name(i.target)
            walk.locals[name] = struct
            walk.private.add(name)
            walk.emit(f"{name} = malloc {struct};", i.line)
            source = Term(name, struct=struct)
            walk.env[match[1]] = source
        walk.env[i.target] = source

    def _do_ptrtoint(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"\w+ \S+ (.+) to (\S+)", i.text)
        assert match is not None
        walk.env[i.target] = self._value(walk, match[1])

    _do_inttoptr = _do_zext = _do_trunc = _do_sext = _do_ptrtoint
    _do_addrspacecast = _do_ptrtoint

    def _do_extractvalue(self, walk: Walk, i: Instruction) -> None:
        match = re.search(r"\} (%[\w.]+), (\d)", i.text)
        assert match is not None
        term = walk.env[match[1]]
        walk.env[i.target] = Term(term.text) if match[2] == "0" else Term("", truth=term.truth)

    def _do_getelementptr(self, walk: Walk, i: Instruction) -> None:
        match = re.match(
            r"getelementptr (?:inbounds )?%struct\.([\w.]+), \S+ (\S+), i32 0, i32 (\d+)$", i.text
        )
        if match is None:
            raise CannotModel("an address that is not a field", i.line)
        struct, base, number = match[1], self._value(walk, match[2]), int(match[3])
        name = self.module.structs[struct][number][0]
        walk.env[i.target] = Term(f"{base.text}.{name}", place=True)

    def _do_load(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"load (atomic )?(?:volatile )?([^,]+), \S+ (\S+?)(?: (\w+))?$", i.text)
        if match is None:
            raise CannotModel("a load of an unknown form", i.line)
        if match[1] and match[4] != "seq_cst":
            raise CannotModel(f"a '{match[4]}' load is weaker than the model", i.line)
        place = self._place(walk, match[3], i.line)
        if walk.inline:
            walk.env[i.target] = Term(place)
            return
        name = self._local(walk, i.target, match[2], place)
        walk.emit(f"{name} = {place};", i.line)
        walk.env[i.target] = Term(name)

    def _do_store(self, walk: Walk, i: Instruction) -> None:
        match = re.match(
            r"store (atomic )?(?:volatile )?\S+ ([^,]+), \S+ (\S+?)(?: (\w+))?$", i.text
        )
        if match is None:
            raise CannotModel("a store of an unknown form", i.line)
        if match[1] and match[4] != "seq_cst":
            raise CannotModel(f"a '{match[4]}' store is weaker than the model", i.line)
        value = self._text(self._value(walk, match[2]), i.line)
        if self._value(walk, match[3]).text == "out":
            walk.out = value
            return
        place = self._place(walk, match[3], i.line)
        own = place.split(".")[0] in walk.private
        if not own:
            walk.private.discard(value)
        walk.emit(f"{place} = {value};", i.line, effect=not own)

    def _do_atomicrmw(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"atomicrmw (?:volatile )?(\w+) \S+ (\S+), \S+ (\S+) (\w+)", i.text)
        if match is None or match[4] != "seq_cst" or match[1] not in ("xchg", "add", "sub"):
            raise CannotModel("an atomic that is not covered", i.line)
        place = self._place(walk, match[2], i.line)
        value = self._text(self._value(walk, match[3]), i.line)
        name = self._local(walk, i.target, "i64", place)
        after = {"xchg": value, "add": f"{name} + {value}", "sub": f"{name} - {value}"}[match[1]]
        walk.emit(f"{name} = {place}; {place} = {after};", i.line, effect=True)
        walk.env[i.target] = Term(name)

    def _do_icmp(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"icmp (\w+) \S+ ([^,]+), (.+)$", i.text)
        assert match is not None
        left, right = (self._value(walk, m) for m in match.group(2, 3))
        if left.truth is not None or left.condition is not None:
            # a truth value compared with a constant
            same = (match[1] == "eq") == (right.text in ("1", "true"))
            if left.truth is not None:
                walk.env[i.target] = Term("", truth=left.truth == same)
            else:
                assert left.condition is not None
                a, op, b = left.condition
                walk.env[i.target] = Term("", condition=(a, op if same else NEGATED[op], b))
            return
        texts = [self._text(t, i.line) for t in (left, right)]
        if "NULL" in texts or self._points(walk, texts):
            texts = ["NULL" if t == "0" else t for t in texts]
        walk.env[i.target] = Term("", condition=(texts[0], CONDITIONS[match[1]], texts[1]))

    def _do_add(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"(\w+) (?:nsw |nuw )*\S+ ([^,]+), (.+)$", i.text)
        assert match is not None
        left, right = (self._text(self._value(walk, m), i.line) for m in match.group(2, 3))
        sign = "+" if match[1] == "add" else "-"
        walk.env[i.target] = Term(f"{left} {sign} {right}".replace("+ -", "- "))

    _do_sub = _do_add

    def _do_call(self, walk: Walk, i: Instruction) -> None:
        name = re.search(r"@([\w.]+)\(", i.text)
        called = name[1] if name else "?"
        argument = re.search(r"\((?:.*?) (\S+)\)$", i.text)
        if called == "malloc":
            walk.env[i.target] = Term("malloc")
        elif called in ("pthread_mutex_lock", "pthread_mutex_unlock") and argument:
            place = self._place(walk, argument[1], i.line)
            if called == "pthread_mutex_lock":
                walk.emit(f"{place} = ID;", i.line, f"{place} == 0", effect=True)
                walk.held += 1
            else:
                walk.emit(f"{place} = 0;", i.line, f"{place} == ID", effect=True)
                walk.held -= 1
        elif called == "free" and argument:
            walk.emit(f"free {self._value(walk, argument[1]).text};", i.line)
        elif called in ("pthread_mutex_init", "sched_yield", "usleep"):
            walk.env[i.target] = Term("0")
        else:
            raise CannotModel(f"a call of '{called}' is not covered", i.line)

    def _do_fence(self, walk: Walk, i: Instruction) -> None:
        """A fence adds nothing to sequential consistency."""

    # -- values -----------------------------------------------------------------------------------

    def _name(self, target: str) -> str:
        return "v_" + re.sub(r"\W", "_", target[1:])

    def _local(self, walk: Walk, target: str, kind: str, place: str) -> str:
        name = self._name(target)
        walk.locals[name] = self._field_kind(place) if kind.startswith("i") else self._kind(kind)
        return name

    def _field_kind(self, place: str) -> str:
        # An atomic pointer is loaded as a number: its real type is the field's.
        last = place.rsplit(".", 1)[-1]
        for fields in self.module.structs.values():
            for name, kind in fields:
                if name == last:
                    return self._kind(kind)
        return self._kind(self.module.globals.get(place, "i32"))

    def _kind(self, kind: str) -> str:
        return kind[8:-1] if kind.startswith("%struct.") and kind.endswith("*") else "int"

    def _points(self, walk: Walk, texts: list[str]) -> bool:
        return any(walk.locals.get(t, "int") != "int" for t in texts)

    def _value(self, walk: Walk, text: str) -> Term:
        text = text.strip()
        if text in walk.env:
            return walk.env[text]
        if text in ("null", "zeroinitializer"):
            return NULL
        if text in ("true", "false"):
            return Term("1" if text == "true" else "0", truth=text == "true")
        if text.startswith("@"):
            return Term(text[1:], place=True)
        return Term(text)

    def _text(self, term: Term, line: int) -> str:
        if term.truth is not None and not term.text:
            return "1" if term.truth else "0"
        if term.condition is not None or term.place:
            raise CannotModel("a value that is not a number or a node", line)
        return term.text

    def _place(self, walk: Walk, text: str, line: int) -> str:
        term = self._value(walk, text)
        if not term.place or term.text == "out":
            raise CannotModel("memory that is not a field or a variable", line)
        return term.text
