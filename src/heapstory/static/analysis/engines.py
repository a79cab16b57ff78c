"""Where the work is done: in this process, on all cores, or on a cluster."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable
from typing import Any

from heapstory.cfront.program import Function
from heapstory.errors import UsageError
from heapstory.static.analysis.options import Options
from heapstory.static.program.component import FunctionResult, analyse_component
from heapstory.static.program.index import Index
from heapstory.static.summaries.summary import Summary

FEW_FUNCTIONS = 150  # not worth another process
Batch = tuple[list[list[Function]], Index, dict[str, Summary]]


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
    ) -> Iterable[dict[str, FunctionResult]]:
        """Analyse groups that do not call each other."""
        for names, needed in todo:
            group = [self.functions[name] for name in names]
            if self.summaries:  # as in other processes: nothing that this level has just given
                known = {name: summaries[name] for name in needed}
                yield analyse_component(group, self.index, known)
            else:
                yield analyse_component(group, self.index, summaries, self.functions)

    def close(self) -> None:
        """End what was started."""


_shared: tuple[dict[str, Function], Index] | None = None


def _analyse_shared(
    task: list[tuple[list[str], dict[str, Summary]]],
) -> list[dict[str, FunctionResult]]:
    assert _shared is not None
    functions, index = _shared
    return [analyse_component([functions[n] for n in names], index, s) for names, s in task]


class ProcessMapper(Mapper):
    """All cores of this machine. Workers are forked once the program is read, so that only
    summaries and results travel."""

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
    ) -> Iterable[dict[str, FunctionResult]]:
        if self._pool is None or len(todo) < 4 * self.processes:
            yield from super().analyse(todo, summaries)
            return
        batches = split(todo, 4 * self.processes)
        tasks = [
            [(names, {n: summaries[n] for n in needed}) for names, needed in batch]
            for batch in batches
        ]
        for results in self._pool.map(_analyse_shared, tasks, chunksize=1):
            yield from results

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


def analyse_batch(batch: Batch) -> list[dict[str, FunctionResult]]:
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
    ) -> Iterable[dict[str, FunctionResult]]:
        batches: list[Batch] = []
        for part in split(todo, 2 * self._workers):
            groups = [[self.functions[name] for name in names] for names, _ in part]
            known = {n: summaries[n] for _, needed in part for n in needed}
            batches.append((groups, self.index, known))
        for results in self.map(analyse_batch, batches):
            yield from results

    def close(self) -> None:
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def mapper_for(options: Options) -> Mapper:
    processes = options.processes or os.cpu_count() or 1
    if not options.summaries:
        mapper = Mapper()
        mapper.summaries = False
        return mapper
    if options.engine == "dask":
        return DaskMapper(options.scheduler, processes)
    return Mapper() if processes == 1 else ProcessMapper(processes)
