"""Random small specifications, as text, from a seeded generator."""

from __future__ import annotations

import random


def specification(seed: int) -> str:
    """A random specification of two or three operations over one to three shared variables."""
    return _Writer(random.Random(seed)).text()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.shared = ["x", "y", "z"][: rng.choice([1, 2, 2, 3])]
        self.heap = rng.random() < 0.35
        self.lock = rng.random() < 0.25

    def text(self) -> str:
        lines = [f"int {name};" for name in self.shared]
        if self.lock:
            lines.append("int lock;")
        if self.heap:
            lines += ["struct cell { int v, cell next };", "cell top;"]
        for number in range(self.rng.choice([1, 2, 2, 3])):
            lines += self.operation("abc"[number])
        return "\n".join(lines) + "\n"

    def operation(self, name: str) -> list[str]:
        rng = self.rng
        parameter = rng.random() < 0.3
        self.known: list[str] = ["p"] if parameter else []
        head = [f"{name}(int p)" if parameter else f"{name}()", "  int l; int m;"]
        if self.heap:
            head.append("  cell c; cell d;")
        self.cells: list[str] = []
        locked = self.lock and rng.random() < 0.7
        steps = ["  1 < lock == 0; > lock = ID;"] if locked else []
        count = rng.choice([1, 2, 2, 3, 3, 4])
        answer = rng.randrange(count + 1)
        for number in range(count):
            mark = rng.choice(["1", "1", "1", "*"])
            if self.heap and not self.cells and rng.random() < 0.4:
                self.cells.append("c")  # any node, as a traversal would find
                steps.append(f"  1 < c.v == {rng.choice('01')}; > READ c;")
            steps.append(f"  {mark} {self.guard()}{self.body(number == answer)}")
        if locked:
            steps.append("  1 < lock == ID; > lock = 0;")
        return head + steps

    def guard(self) -> str:
        if self.rng.random() < 0.6:
            return ""
        left = self.rng.choice(self.shared)
        right = self.rng.choice(["0", "1", "2", *self.known])
        return f"< {left} {self.rng.choice(['==', '==', '!=', '<'])} {right}; > "

    def value(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.35 or not self.known:
            return rng.choice(["0", "1", "2"])
        if kind < 0.7:
            return rng.choice(self.known)
        if kind < 0.85:
            return f"{rng.choice(self.known)} + 1"
        return rng.choice(self.shared)

    def body(self, answers: bool) -> str:
        found = [self.statement() for _ in range(self.rng.choice([1, 1, 1, 2]))]
        if answers:
            found.append(f"return {self.value()};")
        return " ".join(found)

    def statement(self) -> str:
        rng = self.rng
        if self.heap and rng.random() < 0.4:
            return self.heap_statement()
        if rng.random() < 0.45:
            local = rng.choice(["l", "m"])
            if local not in self.known:
                self.known.append(local)
            return f"{local} = {rng.choice(self.shared)};"
        return f"{rng.choice(self.shared)} = {self.value()};"

    def heap_statement(self) -> str:
        rng = self.rng
        if not self.cells:
            cell = rng.choice(["c", "d"])
            self.cells.append(cell)
            return f"{cell} = malloc cell;" if rng.random() < 0.5 else f"{cell} = top;"
        cell = self.cells[0]
        local = rng.choice(["l", "m"])
        choice = rng.randrange(4)
        if choice == 0:
            return f"top = {cell};"
        if choice == 1:
            return f"{cell}.next = top;"
        if choice == 2:
            return f"{cell}.v = {self.value()};"
        if local not in self.known:
            self.known.append(local)
        return f"{local} = {cell}.v;"
