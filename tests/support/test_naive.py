"""The rules of the naive model, each by the smallest example."""

from __future__ import annotations

from tests.support.naive import Alloc, CPoint, Event, Free, Global, Naive, Range, Realloc, Store

A, B = 0x1000, 0x2000


def word(value: int) -> bytes:
    return value.to_bytes(8, "little")


def changes(*events: Event) -> int:
    return Naive(events).last


def test_allocation_free_and_reallocation_advance() -> None:
    assert changes(Alloc(A, 16)) == 1
    assert changes(Alloc(A, 16), Free(A)) == 2
    assert changes(Alloc(A, 16), Realloc(A, B, 32, bytes(16))) == 2


def test_a_store_advances_when_it_changes_or_is_the_first() -> None:
    assert changes(Alloc(A, 16), Store(A, word(0))) == 2
    assert changes(Alloc(A, 16), Store(A, word(0)), Store(A, word(0))) == 2
    assert changes(Alloc(A, 16), Store(A, word(0)), Store(A, word(1))) == 3
    assert changes(Alloc(A, 16, zeroed=True), Store(A, word(0))) == 1
    assert changes(Global(A, word(5)), Store(A, word(5))) == 0


def test_a_reused_address_is_written_for_the_first_time_again() -> None:
    again = (Alloc(A, 16), Store(A, word(3)))
    assert changes(*again, Free(A), *again) == 5


def test_a_ranged_store_is_one_change() -> None:
    assert changes(Alloc(A, 64), Range(A, bytes(64))) == 2
    assert changes(Alloc(A, 64), Range(A, bytes(64)), Range(A, bytes(32))) == 2


def test_a_silent_store_is_a_version() -> None:
    model = Naive([Alloc(A, 16), Store(A, word(1)), Store(A, word(1))])
    versions = model.history(A, 8, 0, model.last)
    assert [(v.timestamp, v.silent) for v in versions] == [(2, False), (2, True)]


def test_a_partial_store_keeps_the_rest() -> None:
    model = Naive([Alloc(A, 8), Store(A, word(0x1122)), Store(A, b"\x33")])
    assert model.value(A, 8, model.last) == word(0x1133)
    assert model.value(A, 8, 2) == word(0x1122)
    assert model.value(A, 8, 1) is None


def test_edges_are_live_then_stale() -> None:
    model = Naive([Alloc(A, 8), Alloc(B, 8), Store(A, word(B)), Free(B), Alloc(B, 8)])
    found = [[(e.target, e.state) for e in model.graph(t)[1]] for t in range(6)]
    assert found == [[], [], [], [(1, "live")], [(1, "stale")], [(1, "stale")]]


def test_storing_the_same_address_again_means_the_new_block() -> None:
    """No byte changed, so the store is silent; but it was made when the new block was there."""
    model = Naive(
        [Alloc(A, 8), Alloc(B, 8), Store(A, word(B)), Free(B), Alloc(B, 8), Store(A, word(B))]
    )
    assert model.last == 5
    (edge,) = model.graph(5)[1]
    assert (edge.target, edge.state, edge.timestamp, edge.touched) == (2, "live", 3, 5)


def test_reallocation_is_a_new_node_with_the_kept_bytes() -> None:
    model = Naive([Alloc(A, 8), Store(A, word(9)), Realloc(A, B, 16, word(9))])
    assert [(n.address, n.size, n.freed) for n in model.nodes] == [(A, 8, 3), (B, 16, None)]
    assert model.value(B, 8, 3) == word(9)
    assert model.value(A, 8, 3) is None
    assert model.value(B + 8, 8, 3) is None


def test_reallocation_in_place_keeps_versions() -> None:
    model = Naive([Alloc(A, 16), Store(A, word(9)), Realloc(A, A, 8)])
    assert model.value(A, 8, 3) == word(9)
    assert model.node_at(A, 3) == 1
    assert model.node_at(A + 8, 3) is None


def test_incoming_and_cpoints() -> None:
    model = Naive([Alloc(A, 8), Alloc(B, 8), Store(A, word(B + 4)), CPoint("here")])
    assert [(e.source, e.target_offset) for e in model.incoming(1, 3)] == [(0, 4)]
    assert model.end.cpoints == [("here", 3)]
