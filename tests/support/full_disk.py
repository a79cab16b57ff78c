"""A disk that is full, as far as a program can tell: no file may be longer than 1 KiB."""

from __future__ import annotations

import resource

LIMIT = 1024
FULL = "File too large (choose another file)"


def no_large_files() -> None:
    """For ``preexec_fn``; Python ignores the signal, so that a write fails.

    A program that it starts may raise the limit again.
    """
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, resource.RLIM_INFINITY))
