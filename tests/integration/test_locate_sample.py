# SPDX-License-Identifier: GPL-2.0-or-later
"""A small part of the evaluation of fault location (benchmarks/locate.py): correct programs are
left alone, and faults that the oracle finds harmful are found and named."""

import sys
from itertools import islice
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from faults.campaign import LIBRARY, specifications
from faults.mutant import Mutant, Program, draw
from faults.operators import OPERATORS, faults, mutated
from faults.trial import CPOINTS, NOTHING, Heapstory, tried

COMMAND = Path(sys.executable).parent / "heapstory"

# Faults that write what is wrong themselves, on structures of different kinds.
SAMPLE = [
    ("circular", "NULL"),
    ("ordered", "wild pointer"),
    ("avl", "lost subtree"),
    ("leftist", "early free"),
]


@pytest.mark.parametrize("name", LIBRARY)
def test_a_correct_program_is_whole_to_the_oracle_and_to_locate(name: str, tmp_path: Path) -> None:
    # GIVEN a program without a fault
    program = Program(name, tmp_path)
    correct = Mutant(program, (), (), seed=7)
    # WHEN it is run and recorded
    trace = tmp_path / "correct.story"
    heapstory = Heapstory(COMMAND)
    heapstory.record(trace, correct.binary(), correct.arguments, correct.environment)
    # THEN nothing is wrong at its end
    assert correct.judged().problem is None
    for spec in specifications(name).values():
        status, said, _ = heapstory.locate(trace, spec, CPOINTS["end"])
        assert status == NOTHING, said


@pytest.mark.parametrize(("name", "operator"), SAMPLE)
def test_a_harmful_fault_is_found_and_named(name: str, operator: str, tmp_path: Path) -> None:
    # GIVEN the first mutant that the oracle finds harmful
    drawn = ((one, one.judged()) for one in islice(draw(Program(name, tmp_path), operator, 7), 20))
    mutant, verdict = next((one, found) for one, found in drawn if found.problem)
    # WHEN it is located, the crash or the end being the only C-point
    trial = tried(mutant, verdict, Heapstory(COMMAND), specifications(name))
    # THEN the injected statement is among the answers
    answer = trial.answers["shipped, end"]
    assert answer.detected
    assert answer.captured, (mutant.name, answer.lines)


@pytest.mark.parametrize("name", LIBRARY)
def test_mutants_keep_the_lines_of_their_program(name: str, tmp_path: Path) -> None:
    source = Program(name, tmp_path).source
    drawn = faults(source)
    assert {fault.operator for fault in drawn} <= set(OPERATORS)
    for fault in drawn:
        text = mutated(source, [fault])
        changed = [
            number
            for number, (old, new) in enumerate(
                zip(source.text.splitlines(), text.splitlines(), strict=True), 1
            )
            if old != new
        ]
        assert changed and set(changed) <= set(fault.span.lines)
