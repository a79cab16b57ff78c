"""What a file is about: the functions that are operations, compiled so that they can be called."""

from __future__ import annotations

import re
from pathlib import Path

from heapstory.errors import UsageError
from heapstory.linear.budget import Budget
from heapstory.linear.ir import unit
from heapstory.linear.ir.classes import outline
from heapstory.linear.ir.instance import MAKER, PREFIX, Instance, instances, subjects
from heapstory.linear.ir.module import Module, read_module
from heapstory.linear.ir.roles import Chosen, choose, initialisers, reached

MOST_SUBJECTS = 3
COMPILING = "compiling the file"
# All functions, with those that C lets each file define again.
_ALL = ("-femit-all-decls",)
_ALL_OF_C = (*_ALL, "-fgnu89-inline")


def operations_of(
    path: str,
    options: tuple[str, ...],
    functions: str | None,
    implements: str | None,
    budget: Budget | None = None,
) -> tuple[Module, Chosen]:
    """A compiled file and its operations: of a class by an object of it, or functions, also inline
    ones that nothing in the file calls."""
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    budget = budget or Budget()
    made = None
    if unit.is_cplusplus(path):
        made = _object(path, options, functions, implements, budget)
    return made or _functions(path, options, functions, implements, budget)


def _functions(
    path: str,
    options: tuple[str, ...],
    functions: str | None,
    implements: str | None,
    budget: Budget,
) -> tuple[Module, Chosen]:
    first: UsageError | None = None
    every = _ALL if unit.is_cplusplus(path) else _ALL_OF_C
    switched_on = unit.implementations(path)
    for program in _programs(path):
        for more in ((), every, *([(*every, *switched_on)] if switched_on else [])):
            budget.check(COMPILING)
            try:
                module = read_module(path, (*options, *more), program)
                chosen = choose(module, functions, implements)
                return _completed(module, chosen, functions, implements) or (module, chosen)
            except UsageError as error:
                first = first or error
                if "file not found" in str(error):
                    raise first from None
    assert first is not None
    raise first


def _completed(
    module: Module, chosen: Chosen, functions: str | None, implements: str | None
) -> tuple[Module, Chosen] | None:
    """With the files beside it that define what the operations call, if that can be compiled."""
    begin = [*chosen.methods.values(), *initialisers(module, chosen)]
    used = reached(module, {f.symbol for f in begin})
    called = {callee[1:] for symbol in used for callee in module.functions[symbol].calls}
    files = unit.defining(module.path, called - module.library.defined)
    if not files:
        return None
    try:
        whole = read_module(module.path, module.options, unit.including(module.path, files))
        return whole, choose(whole, functions, implements)
    except UsageError:
        return None


def _programs(path: str) -> list[str]:
    """With the files that belong to it, if that can be compiled."""
    others = unit.beside(path)
    return [*([unit.including(path, others)] if others else []), ""]


def _object(
    path: str,
    options: tuple[str, ...],
    functions: str | None,
    implements: str | None,
    budget: Budget,
) -> tuple[Module, Chosen] | None:
    """An object of the class that has the operations."""
    found = outline(Path(path))
    whole = str(Path(path).resolve())
    others = unit.beside(path)
    todo = [
        (subject, instances(subject, found, whole))
        for subject in subjects(found, path, functions, implements)[:MOST_SUBJECTS]
    ]
    for subject, made in todo:  # grows
        for number, instance in enumerate(made):
            unfit = False
            for more in (others, ()) if others else ((),):
                budget.check(COMPILING)
                program = "".join(f'#include "{other}"\n' for other in more)
                try:
                    module = read_module(path, options, instance.text + program)
                except UsageError as error:
                    if "file not found" in str(error):
                        return None
                    unfit = unfit or unit.is_made_up(error)
                    continue
                if not _lacks(module, subject.made.name):
                    return module, _chosen(module, instance)
            if unfit and number == 0:  # its functions are not called like that: others first
                todo.append((subject, made[1:]))
                break
    return None


def _lacks(module: Module, owner: str) -> bool:
    """Whether member functions of a class are called that nothing defines."""
    symbol = re.compile(rf"@_ZNK?.*{len(owner)}{owner}")
    called = reached(module, {f for f in module.functions if f.startswith(f"@{PREFIX}")})
    return any(
        callee[1:] not in module.library.defined and symbol.match(callee)
        for name in called
        for callee in module.functions[name].calls
    )


def _chosen(module: Module, instance: Instance) -> Chosen:
    methods = {}
    for method, function in instance.names.items():
        declared = module.functions[f"@{PREFIX}{method}"]
        declared.name, declared.line = function.name, function.line
        methods[method] = declared
    maker = module.functions[f"@{MAKER}"]
    return Chosen(instance.kind, methods, maker, instance.shown, apart=instance.apart)
