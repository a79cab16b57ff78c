"""Proofs for any number of operations: chooses a proof rule and runs it."""

from __future__ import annotations

from itertools import islice, product

from heapstory.linear.aspects import prove_aspects
from heapstory.linear.explore import Budget, OutOfBudget
from heapstory.linear.houdini import Houdini
from heapstory.linear.program import prepare
from heapstory.linear.runs import candidate_points
from heapstory.linear.symbolic import Unsupported
from heapstory.linear.syntax import Specification
from heapstory.linear.verdict import PROVED, Options, Report

MOST_ATTEMPTS = 24


def attempt(spec: Specification, options: Options, budget: Budget, report: Report) -> None:
    """Turn ``bounded-ok`` into ``proved`` where a proof rule applies and succeeds."""
    if options.reuse:
        report.notes.append("no proof is attempted where memory is reused")
        return
    for rule in (_points, _aspects):
        try:
            rule(spec, budget, report)
        except Unsupported as reason:
            report.notes.append(f"no proof: {reason}")
        except OutOfBudget as reason:
            report.notes.append(f"no proof: {reason}")
            return
        if report.verdict == PROVED:
            return


def _aspects(spec: Specification, budget: Budget, report: Report) -> None:
    """A queue by its aspects: for linearization points that depend on what comes later."""
    if spec.implements != "queue":
        return
    tried = prove_aspects(spec, budget)
    if tried.proved:
        report.verdict, report.method, report.proof = PROVED, "aspects", tried
        report.notes.clear()
    else:
        report.notes.append(f"no proof by the aspects of a queue: {tried.failed}")


def _points(spec: Specification, budget: Budget, report: Report) -> None:
    """Fixed linearization points: every operation does its abstract step at one of its own."""
    program = prepare(spec, turns=None)
    choices = [candidate_points(path) for path in program.paths]
    why = ""
    few = list(islice(product(*choices), MOST_ATTEMPTS))
    # first with plain candidates, then with those guarded by checks still to come
    for guarded, points in product((False, True), few):
        tried = Houdini(program, dict(enumerate(points)), budget, guarded).run()
        if tried.proved:
            report.verdict, report.method, report.proof = PROVED, "points", tried
            labels = [
                f"{p.name} at {p.steps[i].label}" if i is not None else f"{p.name} at a moment seen"
                for p, i in zip(program.paths, points, strict=True)
            ]
            report.notes.append("linearization points: " + ", ".join(labels))
            return
        why = why or tried.failed
    report.notes.append(f"no proof with fixed linearization points: {why}")
