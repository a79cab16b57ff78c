"""The step that all eliminations share: which formulas hold in every state that a solver allows."""

from __future__ import annotations

from typing import Any

from heapstory.linear.budget import Budget
from heapstory.linear.formulas.symbolic import solver_module

DOING = "looking for invariants"


def solver_within(budget: Budget) -> Any:
    """A solver that gives up when the time is over."""
    budget.check(DOING)
    solver = solver_module().SimpleSolver()
    solver.set("timeout", max(1, int(budget.left() * 1000)))
    return solver


def answer(solver: Any) -> Any:
    """What the solver says. An interrupt ends its work, which it reports as an answer."""
    result = solver.check()
    if result == solver_module().unknown and "keyboard" in solver.reason_unknown():
        raise KeyboardInterrupt
    return result


def surviving(solver: Any, formulas: list[Any], budget: Budget) -> list[int]:
    """The numbers of the formulas that hold in every state the solver allows. Each state in which
    one does not hold strikes out all that do not hold there."""
    z3 = solver_module()
    alive = list(range(len(formulas)))
    while alive:
        budget.check(DOING)
        solver.push()
        solver.add(z3.Not(z3.And(*[formulas[i] for i in alive])))
        result = answer(solver)
        model = solver.model() if result == z3.sat else None
        solver.pop()
        if result == z3.unsat:
            break
        if model is None:  # too hard together: one by one
            return [i for i in alive if certain(solver, formulas[i])]
        alive = [i for i in alive if not z3.is_false(model.eval(formulas[i], True))]
    return alive


def certain(solver: Any, formula: Any) -> bool:
    """Whether a formula holds in every state the solver allows."""
    z3 = solver_module()
    solver.push()
    solver.add(z3.Not(formula))
    result = answer(solver)
    solver.pop()
    return bool(result == z3.unsat)
