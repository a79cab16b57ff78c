"""Proofs for any number of operations: chooses a proof rule and runs it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, product
from typing import Any

from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.formulas.runs import Points, candidate_points
from heapstory.linear.formulas.symbolic import Unsupported
from heapstory.linear.language.syntax import Specification
from heapstory.linear.program.steps import merge, prepare
from heapstory.linear.proof.aspects import prove_aspects
from heapstory.linear.proof.claims import prove_claims
from heapstory.linear.proof.houdini import Houdini
from heapstory.linear.proof.sections import atomic_sections
from heapstory.linear.proof.unbounded import invariants, tables
from heapstory.linear.verdict.report import PROVED, Options, Report

Rule = Callable[[Specification, Budget, Report], None]
MOST_ATTEMPTS = 24


def attempt(spec: Specification, options: Options, budget: Budget, report: Report) -> None:
    """Turn ``bounded-ok`` into ``proved`` where a proof rule applies and succeeds."""
    if options.reuse:
        report.notes.append("no proof is attempted where memory is reused")
        return
    try:
        if report.claims:
            _try(_claims, spec, budget, report)
        if options.tables:
            _try(_tables, spec, budget, report)
        # only the first shows that no step follows NULL, which in C is not to wait
        for rule in (_points, _aspects, _relations) if spec.cleared else (_points,):
            if report.verdict != PROVED:
                _try(rule, spec, budget, report)
    except OutOfBudget as reason:
        report.notes.append(f"no proof: {reason}")


def _try(rule: Rule, spec: Specification, budget: Budget, report: Report) -> None:
    try:
        rule(spec, budget, report)
    except Unsupported as reason:
        note = f"no proof: {reason}"
        if note not in report.notes:
            report.notes.append(note)


def _proved(report: Report, method: str, proof: Any, notes: list[str]) -> None:
    report.verdict, report.method, report.proof = PROVED, method, proof
    report.notes = [n for n in report.notes if not n.startswith("no proof")] + notes


def _claims(spec: Specification, budget: Budget, report: Report) -> None:
    pairs = invariants(prepare(spec, turns=None), budget)
    prove_claims(spec, pairs, report.claims)


def _tables(spec: Specification, budget: Budget, report: Report) -> None:
    if report.tables is None:
        report.tables = tables(spec, budget)


def _relations(spec: Specification, budget: Budget, report: Report) -> None:
    """The thesis' own method, with relations that hold for any number of operations."""
    _tables(spec, budget, report)
    found = report.tables
    assert found is not None
    if not found.algorithm6.passes:
        report.notes.append("no proof: Algorithm 6 does not pass with the proved relations")
    elif found.stuck:
        report.notes.append(f"no proof: {found.stuck}")
    elif wrong := _sequential(spec, budget):
        report.notes.append(f"no proof that operations run alone are right: {wrong}")
    else:
        _proved(report, "smt", found, [])


def _sequential(spec: Specification, budget: Budget) -> str:
    """Assumption 1 for any number of operations: each, run in one step, does what its method does.
    Empty if so. Where the operations themselves are the model there is nothing to show."""
    if spec.implements is None and spec.model is None:
        return ""
    program = prepare(spec, turns=None)
    whole = merge(program, {p.name: [list(range(len(p.steps)))] for p in program.paths})
    points: Points = {n: candidate_points(p)[0] for n, p in enumerate(whole.paths)}
    return Houdini(whole, points, budget).run().failed


def _aspects(spec: Specification, budget: Budget, report: Report) -> None:
    """A queue by its aspects: for linearization points that depend on what comes later."""
    if spec.implements != "queue":
        return
    tried = prove_aspects(spec, budget)
    if tried.proved:
        _proved(report, "aspects", tried, [])
    else:
        report.notes.append(f"no proof by the aspects of a queue: {tried.failed}")


def _points(spec: Specification, budget: Budget, report: Report) -> None:
    """Every operation does its abstract step at one of its own, or only looks."""
    if spec.implements is None and spec.model is None:
        raise Unsupported("no abstract type is named")
    program = atomic_sections(prepare(spec, turns=None))
    choices = [candidate_points(path, spec.hints) for path in program.paths]
    why = ""
    few = list(islice(product(*choices), MOST_ATTEMPTS))
    # first with plain candidates, then with those guarded by checks still to come
    for guarded, points in product((False, True), few):
        tried = Houdini(program, dict(enumerate(points)), budget, guarded).run()
        if tried.proved:
            labels = [
                f"{p.name} at {p.steps[i].label}" if i is not None else f"{p.name} at a moment seen"
                for p, i in zip(program.paths, points, strict=True)
            ]
            note = "linearization points: " + ", ".join(labels)
            _proved(report, "points", tried, [note])
            return
        why = why or tried.failed
    report.notes.append(f"no proof with fixed linearization points: {why}")
