"""Plans: what a specification becomes for the engine, and what it says in words; knows the core."""

from heapstory._core import BinderKind, Kind, Op, Quantifier, ShapeKind
from heapstory.constraints.plan.definition import (
    ATOMS,
    Binder,
    EdgeRef,
    Expr,
    Plan,
    PlanAttribute,
    PlanConstraint,
    PlanField,
    PlanLoop,
    PlanMember,
    PlanRun,
    PlanType,
    PlanVariable,
    Shape,
)

__all__ = [
    "ATOMS",
    "Binder",
    "BinderKind",
    "EdgeRef",
    "Expr",
    "Kind",
    "Op",
    "Plan",
    "PlanAttribute",
    "PlanConstraint",
    "PlanField",
    "PlanLoop",
    "PlanMember",
    "PlanRun",
    "PlanType",
    "PlanVariable",
    "Quantifier",
    "Shape",
    "ShapeKind",
]
