"""Results kept between runs, by content."""

from __future__ import annotations

import os
import pickle
from hashlib import sha256
from pathlib import Path
from typing import Any

from heapstory.cfront.frontend import FORMAT
from heapstory.cfront.program import Function
from heapstory.static.program.component import FunctionResult
from heapstory.static.program.index import Index
from heapstory.static.summaries.shape import fingerprint
from heapstory.static.summaries.summary import Summary

VERSION = 28  # of the analysis; results of another one are not used


class Kept:
    """Results by content: a group is analysed again only if its code, its models or the summaries
    of what it calls have changed."""

    def __init__(
        self, cache_path: str | None, functions: dict[str, Function], index: Index
    ) -> None:
        self.path: Path | None = None
        self._functions = functions
        self._kept: dict[str, bytes] = {}
        self._used: dict[str, bytes] = {}
        if cache_path is not None:
            units = sorted({function.unit for function in functions.values()})
            name = sha256("\0".join(units).encode(errors="surrogateescape")).hexdigest()[:32]
            self.path = Path(cache_path) / f"answers-{name}"
            base = repr((index.models.digest(), _pointers(index), VERSION, FORMAT))
            self._base = sha256(base.encode(errors="surrogateescape")).hexdigest()
            self._read()

    def _read(self) -> None:
        assert self.path is not None
        try:
            with self.path.open("rb") as file:
                kept = pickle.load(file)
        except (OSError, pickle.PickleError, EOFError, ValueError):
            return
        if isinstance(kept, dict):
            self._kept = kept

    def key(self, names: list[str], needed: set[str], summaries: dict[str, Summary]) -> str:
        """The key of a group."""
        if self.path is None:
            return ""
        parts = [self._base, *sorted(self._functions[n].digest + n for n in names)]
        parts += sorted(n + summaries[n].fingerprint for n in needed)
        return sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()

    def get(self, key: str) -> Any:
        """Results from an earlier run."""
        data = self._kept.get(key)
        if data is None:
            return None
        self._used[key] = data
        return pickle.loads(data)

    def put(self, key: str, results: dict[str, FunctionResult]) -> None:
        """Keep the results of a group for the next run."""
        if self.path is not None:
            for each in results.values():
                each.summary.fingerprint = fingerprint(each.summary)
            self.keep(key, results)

    def keep(self, key: str, found: object) -> None:
        """Keep anything for the next run."""
        if self.path is not None:
            self._used[key] = pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL)

    def write(self) -> None:
        """Write what this run used or made. Where that fails (a full disk), the next run has more
        to do."""
        if self.path is None:
            return
        fresh = self.path.with_suffix(f".{os.getpid()}")
        try:
            with fresh.open("wb") as file:
                pickle.dump(self._used, file, protocol=pickle.HIGHEST_PROTOCOL)
            fresh.replace(self.path)
        except OSError:
            fresh.unlink(missing_ok=True)


def _pointers(index: Index) -> list[object]:
    members = sorted((k, sorted(v)) for k, v in index.members.items())
    signatures = sorted((k, sorted(v)) for k, v in index.by_signature.items())
    return [members, signatures, index.constants.seen_by_others(index.internals)]
