"""Single instructions of LLVM IR: what each does to a path, and the values it names."""

from __future__ import annotations

import re

from heapstory.linear.c.cir import Instruction, Module
from heapstory.linear.c.walk import NULL, CannotModel, Term, Walk

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


class Instructions:
    """Runs the instructions that neither branch nor end a path."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def do(self, walk: Walk, instruction: Instruction) -> None:
        """Run one; each _do_ handles one kind."""
        op = instruction.text.split()[0]
        handler = getattr(self, f"_do_{op}", None)
        if handler is None:
            raise CannotModel(f"'{op}' is not covered", instruction.line)
        handler(walk, instruction)

    def _do_bitcast(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"\w+ \S+ (.+) to (\S+)", i.text)
        assert match is not None
        source = self.value(walk, match[1])
        if source.text == "malloc":
            struct = self.kind(match[2])
            name = self.name(i.target)
            walk.locals[name] = struct
            walk.private.add(name)
            walk.emit(f"{name} = malloc {struct};", i.line)
            source = Term(name, struct=struct)
            walk.env[match[1]] = source
        walk.env[i.target] = source

    def _do_ptrtoint(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"\w+ \S+ (.+) to (\S+)", i.text)
        assert match is not None
        walk.env[i.target] = self.value(walk, match[1])

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
        struct, base, number = match[1], self.value(walk, match[2]), int(match[3])
        name = self.module.structs[struct][number][0]
        walk.env[i.target] = Term(f"{base.text}.{name}", place=True)

    def _do_load(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"load (atomic )?(?:volatile )?([^,]+), \S+ (\S+?)(?: (\w+))?$", i.text)
        if match is None:
            raise CannotModel("a load of an unknown form", i.line)
        if match[1] and match[4] != "seq_cst":
            raise CannotModel(f"a '{match[4]}' load is weaker than the model", i.line)
        place = self.place(walk, match[3], i.line)
        if walk.inline:
            walk.env[i.target] = Term(place)
            return
        name = self.local(walk, i.target, match[2], place)
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
        value = self.text(self.value(walk, match[2]), i.line)
        if self.value(walk, match[3]).text == "out":
            walk.out = value
            return
        place = self.place(walk, match[3], i.line)
        own = place.split(".")[0] in walk.private
        if not own:
            walk.private.discard(value)
        walk.emit(f"{place} = {value};", i.line, effect=not own)

    def _do_atomicrmw(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"atomicrmw (?:volatile )?(\w+) \S+ (\S+), \S+ (\S+) (\w+)", i.text)
        if match is None or match[4] != "seq_cst" or match[1] not in ("xchg", "add", "sub"):
            raise CannotModel("an atomic that is not covered", i.line)
        place = self.place(walk, match[2], i.line)
        value = self.text(self.value(walk, match[3]), i.line)
        name = self.local(walk, i.target, "i64", place)
        after = {"xchg": value, "add": f"{name} + {value}", "sub": f"{name} - {value}"}[match[1]]
        walk.emit(f"{name} = {place}; {place} = {after};", i.line, effect=True)
        walk.env[i.target] = Term(name)

    def _do_icmp(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"icmp (\w+) \S+ ([^,]+), (.+)$", i.text)
        assert match is not None
        left, right = (self.value(walk, m) for m in match.group(2, 3))
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
        texts = [self.text(t, i.line) for t in (left, right)]
        if "NULL" in texts or self._points(walk, texts):
            texts = ["NULL" if t == "0" else t for t in texts]
        walk.env[i.target] = Term("", condition=(texts[0], CONDITIONS[match[1]], texts[1]))

    def _do_add(self, walk: Walk, i: Instruction) -> None:
        match = re.match(r"(\w+) (?:nsw |nuw )*\S+ ([^,]+), (.+)$", i.text)
        assert match is not None
        left, right = (self.text(self.value(walk, m), i.line) for m in match.group(2, 3))
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
            place = self.place(walk, argument[1], i.line)
            if called == "pthread_mutex_lock":
                walk.emit(f"{place} = ID;", i.line, f"{place} == 0", effect=True)
                walk.held += 1
            else:
                walk.emit(f"{place} = 0;", i.line, f"{place} == ID", effect=True)
                walk.held -= 1
        elif called == "free" and argument:
            walk.emit(f"free {self.value(walk, argument[1]).text};", i.line)
        elif called in ("pthread_mutex_init", "sched_yield", "usleep"):
            walk.env[i.target] = Term("0")
        else:
            raise CannotModel(f"a call of '{called}' is not covered", i.line)

    def _do_fence(self, walk: Walk, i: Instruction) -> None:
        """A fence adds nothing to sequential consistency."""

    # -- values -----------------------------------------------------------------------------------

    def name(self, target: str) -> str:
        """The name of a value."""
        return "v_" + re.sub(r"\W", "_", target[1:])

    def local(self, walk: Walk, target: str, kind: str, place: str) -> str:
        """A new local for what a place holds."""
        name = self.name(target)
        walk.locals[name] = self._field_kind(place) if kind.startswith("i") else self.kind(kind)
        return name

    def _field_kind(self, place: str) -> str:
        # An atomic pointer is loaded as a number: its real type is the field's.
        last = place.rsplit(".", 1)[-1]
        for fields in self.module.structs.values():
            for name, kind in fields:
                if name == last:
                    return self.kind(kind)
        return self.kind(self.module.globals.get(place, "i32"))

    def kind(self, kind: str) -> str:
        """The type of a value in the notation."""
        return kind[8:-1] if kind.startswith("%struct.") and kind.endswith("*") else "int"

    def _points(self, walk: Walk, texts: list[str]) -> bool:
        return any(walk.locals.get(t, "int") != "int" for t in texts)

    def value(self, walk: Walk, text: str) -> Term:
        """What an operand stands for."""
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

    def text(self, term: Term, line: int) -> str:
        """A number or a node as text."""
        if term.truth is not None and not term.text:
            return "1" if term.truth else "0"
        if term.condition is not None or term.place:
            raise CannotModel("a value that is not a number or a node", line)
        return term.text

    def place(self, walk: Walk, text: str, line: int) -> str:
        """The place that an operand points to."""
        term = self.value(walk, text)
        if not term.place or term.text == "out":
            raise CannotModel("memory that is not a field or a variable", line)
        return term.text
