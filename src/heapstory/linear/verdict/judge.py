"""From a specification to a verdict, within a time limit."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.language.syntax import Free, Specification, statements
from heapstory.linear.models.sequential import model_of
from heapstory.linear.program.kinds import kinds_of
from heapstory.linear.program.steps import Program, prepare
from heapstory.linear.proof.claims import Claim, check_claims
from heapstory.linear.states.algorithm6 import Reordering, check_linearizability
from heapstory.linear.states.completable import incompletable
from heapstory.linear.states.explore import Graph, explore
from heapstory.linear.states.machine import Machine
from heapstory.linear.states.normalise import normalise
from heapstory.linear.states.relations import Relations, derive
from heapstory.linear.states.sequential import sequential_violation
from heapstory.linear.verdict.deepening import Deepening
from heapstory.linear.verdict.report import BOUNDED, PROVED, REFUTED, UNKNOWN, Options, Report
from heapstory.linear.verdict.rules import attempt

MOST_STATES = 400_000  # to derive relations from


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
    """First a few operations; then Algorithm 6 and the proof, with more operations beside them."""
    frees = options.c and any(isinstance(s, Free) for s in statements(spec))
    options = replace(options, reuse=options.reuse or frees)
    search = Deepening(spec, options, budget)
    report.coverage, report.reuse = search.coverage, options.reuse
    search.begin()
    _take(search, report)
    if options.exhaustive is not None or report.verdict == UNKNOWN:
        return
    if report.verdict != BOUNDED or options.bound is not None:
        _thesis(spec, options, budget, report)
        if report.verdict == BOUNDED and options.proof:
            _prove(spec, options, budget, report)
    else:
        with search.beside() as beside:
            _thesis(spec, options, budget, report)
            if options.proof:
                _prove(spec, options, budget, report)
            if report.verdict != PROVED or search.coverage.never(spec):
                beside.wait()
        _take(search, report)
    _vacuous(spec, report)
    if options.c:
        _faulty(spec, options, report)


def _prove(spec: Specification, options: Options, budget: Budget, report: Report) -> None:
    """Try the rules. They know no reuse of memory: what C frees makes of a proof a note."""
    attempt(spec, replace(options, reuse=options.reuse and not options.c), budget, report)
    if options.c and options.reuse and report.verdict == PROVED:
        report.verdict, report.method = BOUNDED, "exhaustive"
        report.notes.append("proved as long as freed memory is never handed out again")


def _faulty(spec: Specification, options: Options, report: Report) -> None:
    """C gives no meaning to a race, or to a step that follows NULL or uses freed memory."""
    assert report.coverage is not None
    said = [options.doubt] if options.doubt else []
    for name, number, what in sorted(report.coverage.faults):
        line = spec.operation(name).steps[number].position.line
        said.append(f"{report.path}:{line}: '{name}' {what} in some histories")
    if said and report.verdict in (PROVED, BOUNDED):
        report.verdict, report.reason, report.proof = UNKNOWN, said[0], None
    else:
        report.notes += said


def _take(search: Deepening, report: Report) -> None:
    """The verdict of the search, which a proof that is there only gives way to if it is wrong."""
    found, covered = search.found, search.coverage
    assert found is not None
    report.states = max(report.states, covered.states)
    if found.trail is not None:
        report.search, report.bound, report.verdict = found, found.operations, REFUTED
        report.method, report.proof = "exhaustive", None
        report.sequential = found.width == 1
    elif covered.operations == 0:
        report.verdict, report.reason = UNKNOWN, found.reason
    else:
        report.bound = covered.operations
        if report.verdict != PROVED:
            report.verdict, report.method = BOUNDED, "exhaustive"


def _thesis(spec: Specification, options: Options, budget: Budget, report: Report) -> None:
    """What the thesis' method says, with relations derived from the states of a few operations. No
    verdict rests on it: it unrolls loops and takes some steps together."""
    if kinds_of(spec).counted:
        report.notes.append("Algorithm 6 is not run where names of instances are numbers, too")
        return
    try:
        found = _bounded(spec, options, Budget(budget.left() / 2, min(budget.states, MOST_STATES)))
    except OutOfBudget as reason:
        report.notes.append(f"Algorithm 6 was not run: {reason}")
        return
    report.claims, report.algorithm6 = found.claims, found.algorithm6
    report.program, report.normal, report.relations = found.program, found.normal, found.relations
    report.derived = found.bound


def _bounded(spec: Specification, options: Options, budget: Budget) -> Bounded:
    if options.bound is not None:
        return analyse(spec, options.bound, options, budget)
    program = prepare(spec, options.reuse)
    machine = Machine(program, options.keys, rewindable=True)
    graph = explore(machine, 3, budget)
    if len(graph.states) < 150:
        graph = explore(machine, 4, budget)
    return _analyse(graph, graph.limit, options, budget)


def _vacuous(spec: Specification, report: Report) -> None:
    """Nothing is proved of a step that never ran, or of an operation that cannot complete."""
    covered = report.coverage
    assert covered is not None
    if report.verdict not in (PROVED, BOUNDED):
        return
    for name, number in covered.never(spec):
        step = spec.operation(name).steps[number]
        where = step.position
        report.warnings.append(
            f"{report.path}:{where.line}:{where.column}: sub-operation '{step.label}' of "
            f"'{name}' never ran with {covered.operations} operations"
        )
    unfinished = [o.name for o in spec.operations if o.name not in covered.ended]
    report.never = [f"{n}.{spec.operation(n).steps[i].label}" for n, i in covered.never(spec)]
    if not covered.ended:
        report.verdict, report.reason = UNKNOWN, "no operation ever completes"
    elif report.verdict == PROVED and (report.never or unfinished):
        report.verdict, report.method = BOUNDED, "exhaustive"
        what = f"{unfinished[0]} never completes" if unfinished else f"{report.never[0]} never runs"
        report.notes.append(f"the proof says nothing of it: {what}")
