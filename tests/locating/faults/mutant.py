"""Mutants: a program with one fault (or ten) in it, the run in which the fault happens, and what
the oracle says of that run."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.locating.faults import oracles
from tests.locating.faults.operators import Fault, faults, mutated
from tests.locating.faults.oracles import Verdict
from tests.locating.faults.source import Source, read

HERE = Path(__file__).resolve().parent
STRUCTURES = HERE.parent / "structures"
NAMES = {
    "circular": "Circular linked list",
    "ordered": "Ordered list",
    "doubly": "Doubly-linked list",
    "quad": "Quad tree",
    "avl": "AVL tree",
    "btree": "B tree",
    "redblack": "Red-Black tree",
    "leftist": "Leftist heap",
    "bipartite": "Bipartite graph",
    "hash": "Hash table",
}
# The specification of the library for each program.
LIBRARY = {
    "circular": "circular_list",
    "ordered": "ordered_list",
    "doubly": "doubly_linked_list",
    "quad": "quad_tree",
    "avl": "avl_tree",
    "btree": "b_tree",
    "redblack": "red_black_tree",
    "leftist": "leftist_heap",
    "bipartite": "bipartite_graph",
    "hash": "hash_table",
}
NODES = "1000"
COUNTING = ["--coverage", "-fprofile-abs-path"]


class MutantError(Exception):
    """A mutant could not be built or run."""


@dataclass(frozen=True)
class Mutant:
    """One run of one mutated program. `at` is how often each faulty statement is passed before."""

    program: Program
    faults: tuple[Fault, ...]
    at: tuple[int, ...]
    seed: int

    @property
    def name(self) -> str:
        spots = "+".join(
            f"{f.span.first_line}#{k}" for f, k in zip(self.faults, self.at, strict=True)
        )
        return f"{self.program.name}/{self.faults[0].operator}/{spots}/seed {self.seed}"

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "FAULT_AT": ",".join(map(str, self.at))}

    @property
    def arguments(self) -> list[str]:
        return [str(self.seed), self.program.nodes]

    def accepted(self, verdict: Verdict) -> frozenset[int]:
        """The lines that a good answer may name."""
        lines = frozenset().union(*(fault.accepted for fault in self.faults))
        return lines.union(*(f.operation for f in self.faults)) if verdict.silent else lines

    def binary(self) -> Path:
        return self.program.build(self.faults, [])

    def judged(self) -> Verdict:
        """Runs it under the oracle's eyes."""
        binary = self.program.build(self.faults, ["-include", str(HERE / "dump.h")])
        dump = binary.with_suffix(".dump")
        dump.unlink(missing_ok=True)
        run = subprocess.run([binary, *self.arguments], capture_output=True, text=True,
                             errors="replace", env={**self.environment, "DUMP": str(dump)},
                             cwd=self.program.desk)  # fmt: skip
        if run.returncode < 0 or not dump.exists():
            # It died while it dumped: the fault has damaged the allocator's own data.
            return Verdict("the heap is damaged beyond a dump", "crash", False, run.stdout)
        return oracles.verdict(self.program.name, dump, run.stdout)


@dataclass
class Program:
    """One structure's program, its faults, and the folder its mutants are built in."""

    name: str
    desk: Path
    nodes: str = NODES

    @cached_property
    def source(self) -> Source:
        return read(STRUCTURES / f"{self.name}.c")

    @cached_property
    def faults(self) -> list[Fault]:
        return faults(self.source)

    def of(self, operator: str) -> list[Fault]:
        return [fault for fault in self.faults if fault.operator == operator]

    def build(self, chosen: tuple[Fault, ...], flags: list[str]) -> Path:
        """The mutant's binary, built once. Its source has the program's own name and lines."""
        text = mutated(self.source, list(chosen))
        headers = "".join(header.read_text() for header in sorted(HERE.glob("*.h")))
        key = hashlib.sha256(f"{flags}\n{headers}\n{text}".encode()).hexdigest()[:16]
        folder = self.desk / key
        binary = folder / self.name
        if binary.exists():
            return binary
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / f"{self.name}.c"
        source.write_text(text)
        command = ["gcc", "-g", "-O0", "-w", "-I", str(STRUCTURES), *flags,
                   "-include", str(HERE / "fault.h"), "-o", str(binary), str(source)]  # fmt: skip
        built = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        if built.returncode:
            raise MutantError(f"{source}: {built.stderr.splitlines()[0]}")
        return binary

    def executions(self, chosen: tuple[Fault, ...], seed: int) -> list[tuple[int, int]]:
        """For each fault how often its statement is passed while the base is built, and in all."""
        binary = self.build(chosen, [])
        base = self._passed(binary, [str(seed), self.nodes, "0"])
        total = self._passed(binary, [str(seed), self.nodes])
        return list(zip(base, total, strict=True))[: len(chosen)]

    def _passed(self, binary: Path, arguments: list[str]) -> list[int]:
        log = binary.with_suffix(".log")
        subprocess.run([binary, *arguments], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "FAULT_LOG": str(log)})  # fmt: skip
        return [int(line.split()[0]) for line in log.read_text().splitlines()]

    def correct_output(self, seed: int) -> str:
        binary = self.build((), [])
        return subprocess.run([binary, str(seed), self.nodes], check=True, capture_output=True,
                              text=True).stdout  # fmt: skip


def draw(program: Program, operator: str, salt: int) -> Iterator[Mutant]:
    """Mutants of one operator without end, each with a statement, a seed and an execution among the
    500 operations drawn at random; nothing where the operator has no statement in the program."""
    choice = random.Random(f"{program.name}/{operator}/{salt}")
    sites = program.of(operator)
    while sites:
        fault = choice.choice(sites)
        seed = choice.randrange(1, 1 << 20)
        base, total = program.executions((fault,), seed)[0]
        if base < total:
            yield Mutant(program, (fault,), (choice.randrange(base, total),), seed)
        elif program.executions((fault,), seed + 1)[0][1] <= base:
            sites = [one for one in sites if one is not fault]  # it never runs after the base


def draw_ten(program: Program, salt: int) -> Iterator[Mutant]:
    """The thesis' run: ten faults of any operators, at ten statements of one program."""
    choice = random.Random(f"{program.name}/ten/{salt}")
    while True:
        seed = choice.randrange(1, 1 << 20)
        waiting = choice.sample(program.faults, len(program.faults))
        picked: list[Fault] = []
        passed: list[tuple[int, int]] = []
        while len(picked) < 10 and waiting:
            while len(picked) < 10 and waiting:
                fault = waiting.pop()
                if not any(_overlap(fault, one) for one in picked):
                    picked.append(fault)
            passed = program.executions(tuple(picked), seed)
            # Statements that never run after the base is built give way to others.
            kept = [(one, at) for one, at in zip(picked, passed, strict=True) if at[0] < at[1]]
            picked, passed = [one for one, _ in kept], [at for _, at in kept]
        yield Mutant(program, tuple(picked), tuple(choice.randrange(*at) for at in passed), seed)


def _overlap(one: Fault, two: Fault) -> bool:
    return one.span.start < two.span.end and two.span.start < one.span.end
