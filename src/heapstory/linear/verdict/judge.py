"""From a specification to a verdict, within a time limit."""

from __future__ import annotations

import time
from dataclasses import dataclass

from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.language.syntax import Specification
from heapstory.linear.models.sequential import model_of
from heapstory.linear.program.steps import Program, prepare
from heapstory.linear.proof.claims import Claim, check_claims
from heapstory.linear.states.algorithm6 import Reordering, check_linearizability
from heapstory.linear.states.completable import incompletable
from heapstory.linear.states.exhaustive import Checker
from heapstory.linear.states.explore import Graph, explore
from heapstory.linear.states.machine import Machine
from heapstory.linear.states.normalise import normalise
from heapstory.linear.states.relations import Relations, derive
from heapstory.linear.states.sequential import sequential_violation
from heapstory.linear.verdict.report import BOUNDED, REFUTED, UNKNOWN, Options, Report
from heapstory.linear.verdict.rules import attempt


@dataclass
class Bounded:
    """What the enumeration of states up to a bound says."""

    bound: int
    program: Program
    normal: Program
    relations: Relations
    algorithm6: Reordering
    completable: bool
    sequential: bool
    states: int
    ran: set[tuple[int, int]]
    claims: list[Claim]

    @property
    def positive(self) -> bool:
        """Whether the thesis' method, with the checks it lacks, accepts."""
        return self.algorithm6.passes and self.completable and self.sequential


def analyse(spec: Specification, bound: int, options: Options, budget: Budget) -> Bounded:
    """Algorithm 6 with derived relations, completability and sequential runs, up to a bound."""
    program = prepare(spec, options.reuse, bound)
    machine = Machine(program, options.keys, rewindable=True)
    graph = explore(machine, bound, budget)
    return _analyse(graph, bound, options, budget)


def _analyse(graph: Graph, bound: int, options: Options, budget: Budget) -> Bounded:
    program, spec = graph.machine.program, graph.machine.spec
    normal = normalise(graph)
    reduced = explore(Machine(normal, options.keys), bound, budget)
    relations = derive(reduced, budget)
    outcome = check_linearizability(normal, relations)
    wrong = sequential_violation(graph.machine, model_of(spec), bound, budget)
    return Bounded(
        bound,
        program,
        normal,
        relations,
        outcome,
        incompletable(graph) is None,
        wrong is None,
        len(graph.states),
        graph.ran(),
        check_claims(spec, graph, budget),
    )


def judge(
    spec: Specification, options: Options | None = None, budget: Budget | None = None
) -> Report:
    """The verdict on a specification. Always ends by the time limit."""
    options = options or Options()
    begin = time.monotonic()
    budget = budget or Budget(options.timeout, options.states)
    report = Report(spec.name, spec.path, UNKNOWN)
    try:
        _judge(spec, options, budget, report)
    except OutOfBudget as reason:
        report.verdict, report.reason = UNKNOWN, str(reason)
    report.seconds = time.monotonic() - begin
    return report


def _judge(spec: Specification, options: Options, budget: Budget, report: Report) -> None:
    if options.exhaustive is not None:
        _exhaustive(spec, options, budget, report, options.exhaustive)
        return
    found = _bounded(spec, options, budget)
    report.claims = found.claims
    report.bound, report.algorithm6, report.states = found.bound, found.algorithm6, found.states
    report.program, report.normal, report.relations = found.program, found.normal, found.relations
    _never_run(found, report)
    if found.positive:
        report.verdict, report.method = BOUNDED, "algorithm6"
    else:
        report.sequential = not found.sequential
        _exhaustive(spec, options, budget, report, found.bound)
    if report.verdict == BOUNDED and options.proof:
        attempt(spec, options, budget, report)


def _bounded(spec: Specification, options: Options, budget: Budget) -> Bounded:
    if options.bound is not None:
        return analyse(spec, options.bound, options, budget)
    program = prepare(spec, options.reuse)
    machine = Machine(program, options.keys, rewindable=True)
    graph = explore(machine, 3, budget)
    if len(graph.states) < 150:
        graph = explore(machine, 4, budget)
    return _analyse(graph, graph.limit, options, budget)


def _exhaustive(
    spec: Specification, options: Options, budget: Budget, report: Report, bound: int
) -> None:
    checker = Checker(spec, options.keys, options.reuse)
    search = checker.search(bound, budget)
    report.search, report.bound, report.method = search, bound, "exhaustive"
    report.states = max(report.states, search.states)
    if search.trail is not None:
        report.verdict = REFUTED
        report.sequential = search.width == 1
    elif search.complete:
        report.verdict = BOUNDED
    else:
        report.verdict, report.bound = UNKNOWN, None
        report.reason = search.reason


def _never_run(found: Bounded, report: Report) -> None:
    program = found.program
    ran = {
        (program.paths[n].operation.name, program.paths[n].steps[pc].label) for n, pc in found.ran
    }
    seen: set[tuple[str, str]] = set()
    for path in program.paths:
        for step in path.steps:
            key = (path.operation.name, step.label)
            if key not in ran and key not in seen:
                seen.add(key)
                where = step.parts[-1].position
                report.warnings.append(
                    f"{report.path}:{where.line}:{where.column}: sub-operation '{step.label}' of "
                    f"'{path.operation.name}' never ran with {found.bound} operations"
                )
