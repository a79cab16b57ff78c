# SPDX-License-Identifier: GPL-2.0-or-later
"""A small part of the evaluation of fault location (benchmarks/locate.py): correct programs are
left alone, and faults that the oracle finds harmful are found and named."""

import sys
from itertools import islice
from pathlib import Path

import pytest

from tests.locating.faults.mutant import LIBRARY, Mutant, Program, draw
from tests.locating.faults.operators import OPERATORS, faults, mutated
from tests.locating.faults.trial import CPOINTS, NOTHING, Heapstory, judged

COMMAND = Path(sys.executable).parent / "heapstory"

# Faults that write what is wrong themselves, on structures of different kinds.
SAMPLE = [
    ("circular", "NULL"),
    ("quad", "lost subtree"),
    ("avl", "lost subtree"),
    ("bipartite", "wild pointer"),
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
    status, said, _ = heapstory.locate(trace, LIBRARY[name], CPOINTS["end"])
    assert status == NOTHING, said


@pytest.mark.parametrize(("name", "operator"), SAMPLE)
def test_a_harmful_fault_is_found_and_named(name: str, operator: str, tmp_path: Path) -> None:
    # GIVEN the first mutant that the oracle finds harmful
    drawn = islice(draw(Program(name, tmp_path), operator, salt=7), 20)
    judgements = ((one, one.judged()) for one in drawn)
    mutant, verdict = next((one, found) for one, found in judgements if found.problem)
    # WHEN it is recorded and located, the crash or the end being the only C-point
    trace = tmp_path / "mutant.story"
    heapstory = Heapstory(COMMAND)
    heapstory.record(trace, mutant.binary(), mutant.arguments, mutant.environment)
    status, said, wall = heapstory.locate(trace, LIBRARY[name], CPOINTS["end"])
    # THEN the injected statement is among the answers
    answer = judged(status, said, wall, mutant.accepted(verdict), name)
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
