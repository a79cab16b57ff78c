"""The whole analysis: units compiled, linked, analysed on all cores, answers kept between runs."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from heapstory.cfront.capture import Job
from heapstory.cfront.clang import find_clang, together
from heapstory.cfront.frontend import FORMAT, Compiled, Preparation, compile_jobs
from heapstory.cfront.program import Function, Unit
from heapstory.errors import UsageError
from heapstory.static.callgraph import levels
from heapstory.static.models import Models
from heapstory.static.program import (
    Answer,
    Index,
    View,
    analyse_component,
    callees,
    fingerprint,
    groups_in_order,
)
from heapstory.static.slicing import VERSION as SLICING
from heapstory.static.slicing import slice_to_heap
from heapstory.static.states import show_states
from heapstory.static.summary import Summary
from heapstory.static.walk.following import Walked, follow, merge

VERSION = 10  # of the analysis; kept answers of another one are not used
FEW_FUNCTIONS = 150  # not worth another process
Batch = tuple[list[list[Function]], Index, dict[str, Summary]]


@dataclass(slots=True)
class Options:
    """How to run."""

    models: Models
    processes: int = 0  # 0: all cores
    engine: str = "local"
    scheduler: str | None = None  # address of a Dask cluster
    cache_path: str | None = None
    summaries: bool = True
    progress: Callable[[str], None] = lambda text: None
    show: str | None = None  # a function whose abstract states are wanted


@dataclass(slots=True)
class Outcome:
    """What was found, and what was not seen."""

    answers: dict[str, Answer] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)  # unit, reason
    limited: list[str] = field(default_factory=list)  # functions given up
    functions: int = 0
    lines: int = 0
    shown: list[str] = field(default_factory=list)  # the states of the function asked for
    pointers: frozenset[str] = frozenset()  # functions that return one, by their plain name
    reused: int = 0  # functions whose answers were kept from an earlier run


def analyse(jobs: list[Job], options: Options) -> Outcome:
    """Analyse all units as one program."""
    jobs = list(dict.fromkeys(jobs))
    if any(not job.source.endswith((".ll", ".bc")) for job in jobs):
        find_clang()  # say so once, not for every unit
    gc.set_threshold(100_000, 20, 20)  # states are many and short-lived; a tenth of the time
    mapper = _mapper(options)
    try:
        options.progress(f"compiling {len(jobs)} units")
        compiled = _compile_all(jobs, mapper, options.cache_path)
        outcome = Outcome()
        functions, index = link(compiled, options.models, outcome)
        gc.freeze()  # the program stays: no collection need look at it
        options.progress(f"analysing {len(functions)} functions")
        store = _Store(options, functions, index)
        _analyse(functions, index, mapper, options, outcome, store)
        options.progress("following main")
        units = [each.unit for each in compiled if each.unit is not None]
        merge(_follow(functions, index, units, store), outcome.answers)
        store.write()
    finally:
        mapper.close()
        gc.unfreeze()
    outcome.limited = sorted(n for n, a in outcome.answers.items() if a.limited)
    return outcome


def _compile_all(jobs: list[Job], mapper: Mapper, cache_path: str | None) -> list[Compiled]:
    """All units, in the order of the jobs."""
    groups = [(group, cache_path) for group in together(jobs)]
    found = {each.job: each for group in mapper.map(_compile, groups) for each in group}
    return [found[job] for job in jobs]


def _compile(task: tuple[list[Job], str | None]) -> list[Compiled]:
    jobs, cache_path = task
    return compile_jobs(jobs, cache_path, Preparation(slice_to_heap, SLICING))


def link(
    compiled: Iterable[Compiled], models: Models, outcome: Outcome
) -> tuple[dict[str, Function], Index]:
    """Put units together by symbol. A second definition (each program's own ``main``) keeps its
    unit's name; its own unit calls it, others the first one."""
    index = Index(models)
    functions: dict[str, Function] = {}
    for each in compiled:
        if each.unit is None:
            outcome.skipped.append((each.job.source, each.problem))
            continue
        outcome.lines += each.unit.lines
        index.add(each.unit, each.members or {})
        for name, function in each.unit.functions.items():
            function.unit = each.unit.path
            if name in functions:
                function.name = f"{name}@{each.unit.path}"
                index.aliases[each.unit.path, name] = function.name
            functions[function.name] = function
    outcome.functions = len(functions)
    outcome.pointers = frozenset(f.place.function for f in functions.values() if f.returns_pointer)
    return functions, index


def _analyse(
    functions: dict[str, Function],
    index: Index,
    mapper: Mapper,
    options: Options,
    outcome: Outcome,
    store: _Store,
) -> None:
    groups = groups_in_order(functions, index)
    edges = {name: callees(function, index) for name, function in functions.items()}
    summaries: dict[str, Summary] = {}
    mapper.share(functions, index)
    for level in _levels(groups, edges):
        todo = []
        for number in level:
            names = groups[number]
            needed = {c for name in names for c in edges[name] if c in summaries}
            key = store.key(names, needed, summaries)
            kept = store.get(key)
            if kept is not None:
                outcome.answers.update(kept)
                outcome.reused += len(kept)
                summaries.update({name: answer.summary for name, answer in kept.items()})
            else:
                todo.append((names, needed, key))
        for (_, _, key), found in zip(
            todo, mapper.analyse([(n, s) for n, s, _ in todo], summaries), strict=True
        ):
            outcome.answers.update(found)
            store.put(key, found)
            summaries.update({name: answer.summary for name, answer in found.items()})
    for function in functions.values() if options.show else ():
        if function.place.function == options.show:
            outcome.shown += show_states(function, View(index, summaries))


def _follow(
    functions: dict[str, Function], index: Index, units: list[Unit], store: _Store
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
    place = {name: number for number, group in enumerate(groups) for name in group}
    forward = {
        name: [t for t in targets if t in place and place[t] <= place[name]]
        for name, targets in edges.items()
    }
    return levels(groups, forward)


# --- where the work is done ---------------------------------------------------------------------


class Mapper:
    """Runs everything in this process."""

    functions: dict[str, Function]
    index: Index
    summaries = True

    def map(self, function: Callable[[Any], Any], items: list[Any]) -> Iterable[Any]:
        return map(function, items)

    def share(self, functions: dict[str, Function], index: Index) -> None:
        """Make the program known before groups of it are analysed."""
        self.functions, self.index = functions, index

    def analyse(
        self, todo: list[tuple[list[str], set[str]]], summaries: dict[str, Summary]
    ) -> Iterable[dict[str, Answer]]:
        """Analyse groups that do not call each other."""
        for names, _ in todo:
            group = [self.functions[name] for name in names]
            anew = None if self.summaries else self.functions
            yield analyse_component(group, self.index, summaries, anew)

    def close(self) -> None:
        """End what was started."""


_shared: tuple[dict[str, Function], Index] | None = None


def _analyse_shared(task: list[tuple[list[str], dict[str, Summary]]]) -> list[dict[str, Answer]]:
    assert _shared is not None
    functions, index = _shared
    return [analyse_component([functions[n] for n in names], index, s) for names, s in task]


class ProcessMapper(Mapper):
    """All cores of this machine. Workers are forked once the program is read, so that only
    summaries and answers travel."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self._pool: Any = None
        self._context = multiprocessing.get_context("fork")

    def map(self, function: Callable[[Any], Any], items: list[Any]) -> Iterable[Any]:
        if len(items) < 4:
            return map(function, items)
        with self._context.Pool(self.processes) as pool:
            return pool.map(function, items, chunksize=1)

    def share(self, functions: dict[str, Function], index: Index) -> None:
        global _shared
        super().share(functions, index)
        if len(functions) >= FEW_FUNCTIONS:
            _shared = (functions, index)
            self._pool = self._context.Pool(self.processes)

    def analyse(
        self, todo: list[tuple[list[str], set[str]]], summaries: dict[str, Summary]
    ) -> Iterable[dict[str, Answer]]:
        if self._pool is None or len(todo) < 4 * self.processes:
            yield from super().analyse(todo, summaries)
            return
        batches = split(todo, 4 * self.processes)
        tasks = [
            [(names, {n: summaries[n] for n in needed}) for names, needed in batch]
            for batch in batches
        ]
        for answers in self._pool.map(_analyse_shared, tasks, chunksize=1):
            yield from answers

    def close(self) -> None:
        global _shared
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()
        _shared = None


def split(items: list[Any], parts: int) -> list[list[Any]]:
    """Consecutive parts of nearly equal length, in order."""
    size = max(1, -(-len(items) // parts))
    return [items[i : i + size] for i in range(0, len(items), size)]


def analyse_batch(batch: Batch) -> list[dict[str, Answer]]:
    """Analyse groups on a machine that shares nothing with this one."""
    groups, index, summaries = batch
    return [analyse_component(group, index, summaries) for group in groups]


class DaskMapper(Mapper):
    """An existing Dask cluster, or one of local processes where no address is given."""

    def __init__(self, scheduler: str | None, processes: int) -> None:
        try:
            import distributed
        except ImportError as error:
            raise UsageError("--engine dask needs Dask: pip install 'dask[distributed]'") from error
        dask: Any = distributed
        self._cluster: Any = None
        try:
            if scheduler is None:
                self._cluster = dask.LocalCluster(
                    n_workers=processes, threads_per_worker=1, dashboard_address=None
                )
            self._client: Any = dask.Client(scheduler or self._cluster, timeout=20)
        except OSError as error:
            raise UsageError(f"{scheduler}: no Dask scheduler answers there") from error
        self._workers = max(1, len(self._client.scheduler_info()["workers"]))

    def map(self, function: Callable[[Any], Any], items: list[Any]) -> Iterable[Any]:
        found: list[Any] = self._client.gather(self._client.map(function, items, pure=False))
        return found

    def analyse(
        self, todo: list[tuple[list[str], set[str]]], summaries: dict[str, Summary]
    ) -> Iterable[dict[str, Answer]]:
        batches: list[Batch] = []
        for part in split(todo, 2 * self._workers):
            groups = [[self.functions[name] for name in names] for names, _ in part]
            known = {n: summaries[n] for _, needed in part for n in needed}
            batches.append((groups, self.index, known))
        for answers in self.map(analyse_batch, batches):
            yield from answers

    def close(self) -> None:
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _mapper(options: Options) -> Mapper:
    processes = options.processes or os.cpu_count() or 1
    if not options.summaries:
        mapper = Mapper()
        mapper.summaries = False
        return mapper
    if options.engine == "dask":
        return DaskMapper(options.scheduler, processes)
    return Mapper() if processes == 1 else ProcessMapper(processes)


# --- answers kept between runs ------------------------------------------------------------------


class _Store:
    """Answers by content: a group is analysed again only if its code, its models or the summaries
    of what it calls have changed."""

    def __init__(self, options: Options, functions: dict[str, Function], index: Index) -> None:
        self.path: Path | None = None
        self._functions = functions
        self._kept: dict[str, bytes] = {}
        self._used: dict[str, bytes] = {}
        if options.cache_path is not None:
            units = sorted({function.unit for function in functions.values()})
            name = sha256("\0".join(units).encode()).hexdigest()[:32]
            self.path = Path(options.cache_path) / f"answers-{name}"
            base = repr((index.models.digest(), _pointers(index), VERSION, FORMAT))
            self._base = sha256(base.encode()).hexdigest()
            self._read()

    def _read(self) -> None:
        assert self.path is not None
        try:
            with self.path.open("rb") as file:
                kept = pickle.load(file)
        except (OSError, pickle.PickleError, EOFError, AttributeError, ValueError):
            return
        if isinstance(kept, dict):
            self._kept = kept

    def key(self, names: list[str], needed: set[str], summaries: dict[str, Summary]) -> str:
        """The key of a group."""
        if self.path is None:
            return ""
        parts = [self._base, *sorted(self._functions[n].digest + n for n in names)]
        parts += sorted(n + summaries[n].fingerprint for n in needed)
        return sha256("\0".join(parts).encode()).hexdigest()

    def get(self, key: str) -> Any:
        """Answers from an earlier run."""
        data = self._kept.get(key)
        if data is None:
            return None
        self._used[key] = data
        return pickle.loads(data)

    def put(self, key: str, answers: dict[str, Answer]) -> None:
        """Keep the answers of a group for the next run."""
        if self.path is not None:
            for answer in answers.values():
                answer.summary.fingerprint = fingerprint(answer.summary)
            self.keep(key, answers)

    def keep(self, key: str, found: object) -> None:
        """Keep anything for the next run."""
        if self.path is not None:
            self._used[key] = pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL)

    def write(self) -> None:
        """Write what this run used or made."""
        if self.path is None:
            return
        fresh = self.path.with_suffix(f".{os.getpid()}")
        with fresh.open("wb") as file:
            pickle.dump(self._used, file, protocol=pickle.HIGHEST_PROTOCOL)
        fresh.replace(self.path)


def _pointers(index: Index) -> list[object]:
    members = sorted((k, sorted(v)) for k, v in index.members.items())
    signatures = sorted((k, sorted(v)) for k, v in index.by_signature.items())
    return [members, signatures, sorted(index.tables.items())]
