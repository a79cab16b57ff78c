"""What the memory model allows, beside what the literature says of RC11 (Lahav and others, 2017)
and of C11: each program with an outcome that tells models apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.linear.ir.litmus import outcomes

STORE_BUFFERING = """
int p0(void) {{ STORE(x, 1, {w}); {f} return LOAD(y, {r}); }}
int p1(void) {{ STORE(y, 1, {w}); {f} return LOAD(x, {r}); }}
"""
MESSAGE = """
int p0(void) {{ STORE(x, 1, rlx); {f} STORE(y, 1, {w}); return 0; }}
int p1(void) {{ int seen = LOAD(y, {r}); {g} return 10 * seen + LOAD(x, rlx); }}
"""
READERS = """
int p0(void) {{ STORE(x, 1, {w}); return 0; }}
int p1(void) {{ STORE(y, 1, {w}); return 0; }}
int p2(void) {{ int a = LOAD(x, {r}); return 10 * a + LOAD(y, {r}); }}
int p3(void) {{ int a = LOAD(y, {r}); return 10 * a + LOAD(x, {r}); }}
"""
TWO_WRITES = """
int p0(void) {{ STORE(x, 1, {w}); STORE(y, 2, {w}); return LOAD(y, {r}); }}
int p1(void) {{ STORE(y, 1, {w}); STORE(x, 2, {w}); return LOAD(x, {r}); }}
int p2(void) {{ int a = LOAD(x, {r}); return 10 * a + LOAD(x, {r}); }}
int p3(void) {{ int a = LOAD(y, {r}); return 10 * a + LOAD(y, {r}); }}
"""


@pytest.mark.parametrize(
    ("write", "read", "fence", "both_zero"),
    [
        ("rlx", "rlx", "", True),
        ("rel", "acq", "", True),
        ("sc", "sc", "", False),
        ("rlx", "rlx", "FENCE(sc);", False),
        ("rlx", "rlx", "FENCE(memory_order_acq_rel);", True),
        ("sc", "rlx", "", True),
    ],
)
def test_store_buffering(
    tmp_path: Path, write: str, read: str, fence: str, both_zero: bool
) -> None:
    found = outcomes(tmp_path, STORE_BUFFERING.format(w=write, r=read, f=fence))
    assert ((0, 0) in found) == both_zero
    assert {(1, 0), (0, 1), (1, 1)} <= found


@pytest.mark.parametrize(
    ("write", "read", "before", "after", "stale"),
    [
        ("rlx", "rlx", "", "", True),
        ("rel", "rlx", "", "", True),
        ("rlx", "acq", "", "", True),
        ("rel", "acq", "", "", False),
        ("rlx", "rlx", "FENCE(rel);", "FENCE(acq);", False),
        ("rlx", "rlx", "FENCE(rel);", "", True),
        ("rel", "rlx", "", "FENCE(acq);", False),
        ("sc", "sc", "", "", False),
    ],
)
def test_message_passing(
    tmp_path: Path, write: str, read: str, before: str, after: str, stale: bool
) -> None:
    found = outcomes(tmp_path, MESSAGE.format(w=write, r=read, f=before, g=after))
    assert ((0, 10) in found) == stale
    assert {(0, 0), (0, 1), (0, 11)} <= found


@pytest.mark.parametrize(("write", "read", "apart"), [("rel", "acq", True), ("sc", "sc", False)])
def test_two_readers_see_two_writes_in_different_orders(
    tmp_path: Path, write: str, read: str, apart: bool
) -> None:
    found = outcomes(tmp_path, READERS.format(w=write, r=read))
    assert ((0, 0, 10, 10) in found) == apart


@pytest.mark.parametrize(("write", "read", "allowed"), [("rlx", "rlx", True), ("sc", "sc", False)])
def test_writes_of_two_threads_in_opposite_orders(
    tmp_path: Path, write: str, read: str, allowed: bool
) -> None:
    """x goes 2 → 1 and y goes 2 → 1, each against the order of the program."""
    found = outcomes(tmp_path, TWO_WRITES.format(w=write, r=read))
    assert any(o[2:] == (21, 21) for o in found) == allowed


def test_one_location_is_coherent_even_if_relaxed(tmp_path: Path) -> None:
    text = """
    int p0(void) { STORE(x, 1, rlx); STORE(x, 2, rlx); return 0; }
    int p1(void) { int a = LOAD(x, rlx); return 10 * a + LOAD(x, rlx); }
    """
    seen = {second for _, second in outcomes(tmp_path, text)}
    assert seen == {0, 1, 2, 11, 12, 22}


def test_no_value_out_of_thin_air_nor_load_buffering(tmp_path: Path) -> None:
    text = """
    int p0(void) { int a = LOAD(x, rlx); STORE(y, 1, rlx); return a; }
    int p1(void) { int a = LOAD(y, rlx); STORE(x, 1, rlx); return a; }
    """
    assert outcomes(tmp_path, text) == {(0, 0), (1, 0), (0, 1)}


def test_what_is_passed_on_is_seen(tmp_path: Path) -> None:
    text = """
    int p0(void) { STORE(x, 1, rlx); STORE(y, 1, rel); return 0; }
    int p1(void) { if (LOAD(y, acq)) STORE(z, 1, rel); return 0; }
    int p2(void) { if (LOAD(z, acq)) return LOAD(x, rlx); return 2; }
    """
    assert outcomes(tmp_path, text) == {(0, 0, 1), (0, 0, 2)}


def test_additions_are_never_lost(tmp_path: Path) -> None:
    text = """
    int p0(void) { return ADD(x, 1, rlx); }
    int p1(void) { return ADD(x, 1, rlx); }
    int p2(void) { return ADD(x, 1, rlx); }
    """
    found = outcomes(tmp_path, text)
    assert {tuple(sorted(o)) for o in found} == {(0, 1, 2)}
    assert len(found) == 6


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ("ADD(y, 1, rlx);", False),
        ("int o = 1; atomic_compare_exchange_strong_explicit(&y, &o, 2, rlx, rlx);", False),
        ("if (LOAD(y, rlx) == 1) STORE(y, 2, rlx);", True),
    ],
)
def test_a_change_carries_a_release_on_a_store_of_another_thread_does_not(
    tmp_path: Path, change: str, stale: bool
) -> None:
    text = f"""
    int p0(void) {{ STORE(x, 1, rlx); STORE(y, 1, rel); return 0; }}
    int p1(void) {{ {change} return 0; }}
    int p2(void) {{ if (LOAD(y, acq) == 2) return LOAD(x, rlx); return 2; }}
    """
    seen = {o[2] for o in outcomes(tmp_path, text)}
    assert seen == ({0, 1, 2} if stale else {1, 2})


def test_a_release_of_another_thread_does_not_go_on_behind_a_change(tmp_path: Path) -> None:
    """The addition carries the release on, the store behind it does not."""
    text = """
    int p0(void) { STORE(x, 1, rlx); STORE(y, 1, rel); return 0; }
    int p1(void) { if (ADD(y, 1, rlx) == 1) STORE(y, 5, rlx); return 0; }
    int p2(void) { if (LOAD(y, acq) == 5) return LOAD(x, rlx); return 2; }
    """
    assert {o[2] for o in outcomes(tmp_path, text)} == {0, 1, 2}


def test_a_failed_attempt_to_lock_orders_nothing(tmp_path: Path) -> None:
    text = """
    #include <pthread.h>
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int p0(void) {
        STORE(x, 1, rlx);
        return pthread_mutex_lock(&m) + pthread_mutex_unlock(&m) + pthread_mutex_lock(&m);
    }
    int p1(void) { return pthread_mutex_trylock(&m) ? LOAD(x, rlx) : 2; }
    """
    assert {o[1] for o in outcomes(tmp_path, text)} == {0, 1}
