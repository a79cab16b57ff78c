"""Fingerprints: what a mistake is called, by names and not by lines.

``guard``, ``check`` and ``leaks`` use the same words for the same mistake, so that what one of them
found is known to the others, and to a baseline after an edit above it.
"""

from __future__ import annotations

from pathlib import PurePath

from heapstory.store.places import Place

LENGTH = 16


def fingerprint(kind: str, place: Place | None, allocated: Place | None) -> str:
    """Of a kind of finding, the statement and the allocation of its block."""
    # A leak is known by where its block came from: who noticed it says nothing.
    where = [allocated or place] if kind == "leak" else [place, allocated]
    from hashlib import sha256  # loads libcrypto: not where nothing was found

    words = [kind, *(_name(each) for each in where if each)]
    return sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()[:LENGTH]


def _name(place: Place) -> str:
    if place.function:
        return f"{place.function}@{place.file or PurePath(place.module or '').name}"
    return f"{PurePath(place.module or '').name}+{place.offset}"
