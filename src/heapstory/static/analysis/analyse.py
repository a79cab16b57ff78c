"""Units compiled, linked, analysed group by group, ``main`` followed."""

from __future__ import annotations

import gc
from collections import Counter

from heapstory.cfront.capture import Job
from heapstory.cfront.clang import find_clang, together
from heapstory.cfront.frontend import Compiled, Preparation, compile_jobs
from heapstory.cfront.program import Function, Unit
from heapstory.static.analysis.engines import Mapper, mapper_for
from heapstory.static.analysis.kept import Kept
from heapstory.static.analysis.linking import ProgramResult, link
from heapstory.static.analysis.options import Options
from heapstory.static.function.show import show_states
from heapstory.static.program.callgraph import levels
from heapstory.static.program.forgotten import add_forgotten
from heapstory.static.program.index import Index, View, callees, groups_in_order
from heapstory.static.program.slicing import VERSION as SLICING
from heapstory.static.program.slicing import slice_to_heap
from heapstory.static.summaries.summary import Summary
from heapstory.static.walk.following import Walked, follow, merge


def analyse(jobs: list[Job], options: Options) -> ProgramResult:
    """Analyse all units as one program."""
    jobs = list(dict.fromkeys(jobs))
    if any(not job.source.endswith((".ll", ".bc")) for job in jobs):
        find_clang()  # say so once, not for every unit
    gc.set_threshold(100_000, 20, 20)  # states are many and short-lived; a tenth of the time
    mapper = mapper_for(options)
    try:
        options.progress(f"compiling {len(jobs)} units")
        compiled = _compile_all(jobs, mapper, options.cache_path)
        found = ProgramResult()
        functions, index = link(compiled, options.models, found, options.complete)
        gc.freeze()  # the program stays: no collection need look at it
        options.progress(f"analysing {len(functions)} functions")
        store = Kept(options.cache_path, functions, index)
        _analyse(functions, index, mapper, options, found, store)
        options.progress("following main")
        units = [each.unit for each in compiled if each.unit is not None]
        if options.complete and not found.skipped:
            add_forgotten(functions, index, units, found.results)
        merge(_follow(functions, index, units, store), found.results)
        store.write()
    finally:
        mapper.close()
        gc.unfreeze()
    found.limited = sorted(n for n, each in found.results.items() if each.limited)
    found.unknown = _unknown(found)
    return found


def _unknown(found: ProgramResult) -> list[tuple[str, int]]:
    handed = set().union(*(each.handed for each in found.results.values()))
    counted = Counter(function for function, _ in handed)
    return sorted(counted.items(), key=lambda each: (-each[1], each[0]))


def _compile_all(jobs: list[Job], mapper: Mapper, cache_path: str | None) -> list[Compiled]:
    """All units, in the order of the jobs."""
    groups = [(group, cache_path) for group in together(jobs)]
    found = {each.job: each for group in mapper.map(_compile, groups) for each in group}
    return [found[job] for job in jobs]


def _compile(task: tuple[list[Job], str | None]) -> list[Compiled]:
    jobs, cache_path = task
    return compile_jobs(jobs, cache_path, Preparation(slice_to_heap, SLICING))


def _analyse(
    functions: dict[str, Function],
    index: Index,
    mapper: Mapper,
    options: Options,
    found: ProgramResult,
    store: Kept,
) -> None:
    groups = groups_in_order(functions, index)
    edges = {name: callees(function, index) for name, function in functions.items()}
    addressed = index.addressed()
    summaries: dict[str, Summary] = {}
    mapper.share(functions, index)
    for level in _levels(groups, edges):
        todo = []
        below = set(summaries)  # of this level nothing is known, whatever was kept of it
        for number in level:
            names = groups[number]
            needed = {c for name in names for c in edges[name] if c in below}
            if any(functions[name].indirect for name in names):
                needed |= addressed & below
            key = store.key(names, needed, summaries)
            kept = store.get(key)
            if kept is not None:
                found.results.update(kept)
                found.reused += len(kept)
                summaries.update({name: each.summary for name, each in kept.items()})
            else:
                todo.append((names, needed, key))
        for (_, _, key), made in zip(
            todo, mapper.analyse([(n, s) for n, s, _ in todo], summaries), strict=True
        ):
            found.results.update(made)
            store.put(key, made)
            summaries.update({name: each.summary for name, each in made.items()})
    for function in functions.values() if options.show else ():
        if function.place.function == options.show:
            found.shown += show_states(function, View(index, summaries))


def _follow(
    functions: dict[str, Function], index: Index, units: list[Unit], store: Kept
) -> list[Walked]:
    """Follow every ``main``, unless nothing in the program has changed."""
    key = "walk " + store.key(list(functions), set(), {})
    kept: list[Walked] | None = store.get(key)
    if kept is None:
        kept = follow(functions, index, units)
        store.keep(key, kept)
    return kept


def _levels(groups: list[list[str]], edges: dict[str, set[str]]) -> list[list[int]]:
    """Levels of groups; where a knot was cut the order of the groups decides."""
    position = {name: number for number, group in enumerate(groups) for name in group}
    forward = {
        name: [t for t in targets if t in position and position[t] <= position[name]]
        for name, targets in edges.items()
    }
    return levels(groups, forward)
