"""Random specifications of all constructs, as text: arrays, loops, `ID`, nodes, `free`, answers in
a step of their own, initial states, and models of one's own (the operations themselves, at times
with a constant changed)."""

from __future__ import annotations

import random
import re


def specification(seed: int) -> str:
    return Writer(random.Random(seed)).text()


class Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.scalars = ["x", "y"][: rng.choice([1, 1, 2])]
        self.array = rng.random() < 0.4
        self.heap = rng.random() < 0.4
        self.names = rng.random() < 0.3
        self.loops = rng.random() < 0.3
        self.locals: list[str] = []
        self.nodes: list[str] = []

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def text(self) -> str:
        lines = [f"int {n}{self.rng.choice(['', '', ' = 1'])};" for n in self.scalars]
        if self.array:
            lines.append("int A[];")
        if self.heap:
            lines += ["struct cell { int v, cell next };", "cell top;"]
        lines += self.init()
        for name in "abc"[: self.rng.choice([1, 2, 2, 3])]:
            lines += self.operation(name)
        body = "\n".join(lines) + "\n"
        if self.chance(0.35):
            body += f"model {{\n{self.changed(body)}}}\n"
        return body

    def init(self) -> list[str]:
        if not self.chance(0.3):
            return []
        parts = [f"{self.rng.choice(self.scalars)} = {self.rng.choice('12')};"]
        if self.array:
            parts.append("A[1] = 1;")
        if self.heap:
            parts.append("cell n; n = malloc cell; n.v = 1; top = n;")
        return [f"init {{ {' '.join(self.rng.sample(parts, len(parts)))} }}"]

    def changed(self, body: str) -> str:
        places = [m.start() for m in re.finditer(r"(?<== )[012](?=;)", body)]
        if not places or self.chance(0.7):
            return body
        at = self.rng.choice(places)
        return f"{body[:at]}{self.rng.choice('012')}{body[at + 1 :]}"

    def operation(self, name: str) -> list[str]:
        rng = self.rng
        parameter = self.chance(0.4)
        self.locals, self.nodes = ["p"] if parameter else [], []
        head = [f"{name}({'int p' if parameter else ''})", "  int l; int m;"]
        if self.heap:
            head.append("  cell c; cell d;")
        count = rng.choice([1, 2, 2, 3, 3, 4])
        answer = rng.randrange(count + 2)
        steps = []
        for number in range(count):
            if number == answer and self.chance(0.4):  # an answer in a step of its own
                steps.append(f"  1 return {self.value()};")
                answer = -1
            steps.append(self.step(number == answer))
        return head + steps

    def step(self, answers: bool) -> str:
        loop = self.loops and not answers and self.chance(0.3)
        known, nodes = list(self.locals), list(self.nodes)
        guard = self.guard()
        body = [self.statement() for _ in range(self.rng.choice([1, 1, 1, 2]))]
        if loop:  # what only its turns set may have no value afterwards
            self.locals, self.nodes = known, nodes
        if answers:
            body.append(f"return {self.value()};")
        return f"  1 {'loop ' * loop}{guard}{' '.join(body)}"

    def guard(self) -> str:
        if self.chance(0.55):
            return ""
        if self.heap and self.chance(0.2):
            return f"< none cell k : k.v == {self.rng.choice('012')}; > "
        if self.nodes and self.chance(0.4):
            return f"< {self.nodes[0]} {self.rng.choice(['==', '!='])} NULL; > "
        op = self.rng.choice(["==", "==", "!=", "<"])
        return f"< {self.place()} {op} {self.value()}; > "

    def place(self) -> str:
        if self.array and self.chance(0.4):
            return f"A[{self.index()}]"
        if self.nodes and self.chance(0.3):
            return f"{self.nodes[0]}.v"
        return self.rng.choice(self.scalars)

    def index(self) -> str:
        return self.rng.choice(["0", "1", *self.locals, *(["ID"] * self.names)])

    def value(self) -> str:
        rng, kind = self.rng, self.rng.random()
        if self.names and kind < 0.15:
            return "ID"
        if kind < 0.45 or not self.locals:
            return rng.choice("012")
        if kind < 0.8:
            return rng.choice(self.locals)
        return f"{rng.choice(self.locals)} {rng.choice('+-')} 1" if kind < 0.9 else self.place()

    def statement(self) -> str:
        rng = self.rng
        if self.heap and self.chance(0.45):
            return self.node_statement()
        if self.chance(0.4):
            value = self.place()
            local = rng.choice("lm")
            if local not in self.locals:
                self.locals.append(local)
            return f"{local} = {value};"
        return f"{self.place()} = {self.value()};"

    def node_statement(self) -> str:
        rng = self.rng
        if not self.nodes or self.chance(0.15):
            node = rng.choice("cd")
            if node not in self.nodes:
                self.nodes.append(node)
            return f"{node} = {rng.choice(['malloc cell', 'malloc cell', 'top'])};"
        node = rng.choice(self.nodes)
        return rng.choice(
            [
                f"top = {node};",
                f"{node}.next = top;",
                f"top = {node}.next;",
                f"{node} = {node}.next;",
                f"{node}.v = {self.value()};",
                f"free {node};",
                f"READ {node}.v;",
            ]
        )
