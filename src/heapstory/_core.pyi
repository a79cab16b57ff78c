"""The native core: a trace opened for questions. Columns cross as Arrow, never object by object."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypedDict, type_check_only

from heapstory.errors import TraceError

FORMAT_VERSION: int
ENDLESS: int

def nest(
    push_begin: Sequence[int],
    push_end: Sequence[int],
    pop_begin: Sequence[int],
    pop_end: Sequence[int],
    seconds: float,
) -> int:
    """Can a stack's values be nested? -1: yes, -2: out of time, else a value that cannot. Times
    that never come are ENDLESS."""

def edge_json(
    source: int,
    offset: int,
    value: int,
    size: int,
    target: int | None,
    target_offset: int | None,
    state: str,
    timestamp: int,
    place: str,
    field: str,
    current: bool,
) -> str:
    """An edge as GraphView.edge_text writes it; ``place`` and ``field`` are JSON already."""

class CoreError(TraceError):
    """What went wrong with a trace, in one line that names the file and the remedy."""

class Table:
    """Columns of equal length. DuckDB reads one through ``__arrow_c_stream__`` with no copy."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    def column(self, name: str) -> list[Any]:
        """One column as Python values (int, str, bool, float or None)."""

class GraphView:
    """The memory graph as of one timestamp."""

    @property
    def at(self) -> int: ...
    def nodes(self) -> Table:
        """id, kind ('heap' | 'global' | 'root'), address, size, name (variable, register or
        slot; null for heap), type (type id or null), created (timestamp, null if before the
        recording), created_stack (stack id or null), freed (timestamp or null), freed_stack,
        lost (heap: not reachable from globals or scanned roots; null where roots were not scanned
        at this timestamp), label (null, or the name given by HEAPSTORY_ROOT), cluster and source
        (mode internals: the cluster it belongs to, the node it was split off; else null)."""
    def edges(self, data: bool = False) -> Table:
        """source (node id), offset, value, size, target (node id or null), target_offset,
        state ('live' | 'stale' | 'null' | 'data'), timestamp, site (null: initial contents).
        Stale: the value points into a block that was freed, or was stored before the block that
        lives there now; target is then the node it meant when it was stored, if known.
        NULL words of pointer type are listed where the node's type is known or the word once held
        a pointer; other non-pointers only with data."""

    def clusters(self) -> Table:
        """id, timestamp: the cluster nodes made so far (mode internals)."""
    def merges(self) -> Table:
        """cluster, source, target, timestamp, site: the merge edges (mode internals)."""
    def node_text(
        self,
        selected: Sequence[int] | None,
        place: Callable[[int | None], str],
        type: Callable[[int | None], str],
        text: Callable[[str], str],
    ) -> Iterator[str]:
        """The (selected) nodes in order of birth as members of a JSON list, in pieces, with the
        commas between them. ``place`` gives the JSON of the statement of a stack, ``type`` that of
        a type's name, each asked once; ``text`` that of a name or label."""
    def edge_text(
        self,
        data: bool,
        selected: Sequence[int] | None,
        place: Callable[[int | None], str],
        field: Callable[[int | None, int, int], str],
    ) -> Iterator[str]:
        """The edges (of the selected nodes) as members of a JSON list, in pieces, with the commas
        between them. ``place`` gives the JSON of a site, ``field`` that of the name of the field at
        (type, size of the node, offset); each is asked once."""

@type_check_only
class MemberDescription(TypedDict):
    """A member of a record; type is None where it is not known."""

    name: str
    offset: int
    size: int
    type: int | None
    bit_offset: int
    bit_size: int
    base_class: bool

@type_check_only
class TypeDescription(TypedDict):
    """A type; target is what a pointer points to or an array is made of, None where unknown."""

    name: str
    kind: str  # 'base' | 'pointer' | 'record' | 'array' | 'enumeration' | 'function' | 'other'
    size: int
    target: int | None
    count: int
    is_union: bool
    is_signed: bool
    is_float: bool
    is_char: bool
    fields: list[MemberDescription]

class Trace:
    def __init__(self, path: str) -> None:
        """Opens a trace directory; CoreError if it is none, is damaged beyond its first chunk, or
        was written by a newer version."""
    def close(self) -> None: ...
    @property
    def timestamps(self) -> int:
        """The last timestamp."""
    @property
    def complete(self) -> bool:
        """The recording was closed: nothing was cut off."""
    @property
    def damage(self) -> str | None:
        """One line on where reading stopped."""
    def summary(self) -> dict[str, Any]:
        """timestamps, events, stores, ranges, allocations, frees, calls, nodes, edges (live, at the
        last timestamp), cpoints, sites, stacks, threads, chunks, bytes (of all files),
        event_bytes (chunks and index, without symbols and source), symbol_bytes, source_bytes,
        complete (bool), damage (None or one line saying where reading stopped)."""
    def graph(self, at: int, freed: bool = False) -> GraphView: ...
    def node(self, node: int) -> dict[str, Any] | None:
        """One row of GraphView.nodes() (lost left out), whether alive or not."""
    def node_json(
        self,
        node: int,
        place: Callable[[int | None], str],
        type: Callable[[int | None], str],
        text: Callable[[str], str],
    ) -> str:
        """The same as JSON, as GraphView.node_text writes it."""
    def node_at(self, address: int, at: int) -> int | None:
        """The node whose bytes hold an address at a timestamp (innermost if nested)."""
    def value(self, address: int, size: int, at: int) -> bytes | None:
        """The bytes of a field as of a timestamp, None where any of them was never recorded."""
    def last_silent(self, address: int, since: int, until: int) -> tuple[int, int] | None:
        """Timestamp and site of the last store to a byte that changed nothing."""
    def fields(self, node: int, at: int) -> Table:
        """What a node holds: the columns of GraphView.edges(data=True) for this node alone."""
    def incoming(self, node: int, at: int) -> Table:
        """Who points to a node: the columns of GraphView.edges()."""
    def history(self, address: int, size: int, first: int, last: int) -> Table:
        """Every version of a range of bytes with first <= timestamp <= last, oldest first:
        timestamp, address, size, value (null beyond 8 bytes), bytes (then: all of them within the
        range, as hexadecimal digits; otherwise null), silent, kind ('store' | 'copy' | 'fill' |
        'syscall' | 'initial'), site, thread, target, target_offset, state."""
    def found(self, name: str) -> Table:
        """What the modes portable and internals found; empty tables in mode alloc.

        suspicions: kind, possible, timestamp, site, address, bytes, base, node, reached
        ends:       node, how ('freed' | 'reused' | 'unmapped' | 'reallocated')
        counts:     what, times
        candidates: kind ('gives' | 'takes'), site, address, bytes (of its code), blocks: functions
                    that look like an allocator's
        truth:      timestamp, address, size, free (record --truth)"""
    def place(self, site: int) -> list[dict[str, Any]]:
        """The statement of a site and, where it was inlined, its callers, innermost first. Each:
        path, line, function (unknown: None), module, offset (in the module's file)."""
    def stack(self, stack: int) -> list[int]:
        """A call stack as site ids, innermost first (the first is the statement itself)."""
    def type(self, type: int) -> TypeDescription: ...
    def types(self) -> int:
        """Type ids are 1 .. types()."""
    def source(self, path: str) -> str | None: ...
    def sources(self) -> Sequence[str]: ...
    def table(self, name: str) -> Table:
        """A table for SQL, read in batches, so one larger than memory works. A node, site, stack
        or thread is its id; address and value are unsigned, other numbers signed 64-bit
        integers; what is unknown is null.

        nodes:   node, kind, address, size, name, type (its name), created, created_site,
                 created_stack, freed, freed_site, freed_stack, label
        edges:   every version of every pointer field: node, offset, value, target, target_offset,
                 state ('live' | 'stale' | 'null', when it was stored), timestamp, until (timestamp
                 of its next version or of the node's end; null: it still stands), site, thread
        events:  every event in order: event (its number), timestamp, kind ('store' | 'copy' |
                 'fill' | 'syscall' | 'alloc' | 'free' | 'realloc'), address, size, value (of the
                 first 8 bytes), silent, site, thread
        sites:   site, file (base name), path, line, function, module, offset (of the instruction
                 in the module's file)
        frees:   node, timestamp, address, size, site, stack, thread
        cpoints: timestamp, kind, name, site, thread
        modules: module, path, build_id, address (where it was loaded), own
        stacks:  stack, depth (0: the statement itself), site"""

@type_check_only
class CodePlace(TypedDict):
    """A statement; None where it is not known."""

    path: str | None
    line: int | None
    function: str | None

class Symbols:
    """Names of code by file, build-id (hex; empty: any) and offset in the file."""

    def __init__(self) -> None: ...
    def state(self, path: str, build_id: str) -> str:
        """'known', 'changed' (another build-id: not the file that ran) or 'missing'."""
    def places(self, path: str, build_id: str, offset: int) -> list[CodePlace]:
        """The statement of an instruction and, where it was inlined, its callers, innermost first;
        none for a file that is missing or changed."""

class Allocations:
    """Which call stacks allocate blocks of which type. A stack's kind is that of its first block:
    type id (None: unknown) and size."""

    def __init__(self, trace: Trace) -> None: ...
    def kinds(self) -> list[tuple[int | None, int, int]]:
        """(type, size, number of blocks that their stacks allocate)"""
    def stacks(self, type: int | None, size: int) -> list[tuple[int, int, int]]:
        """The stacks of a kind: (stack, its first node, number of blocks)"""
    def globals(self) -> list[int]:
        """The nodes of global variables."""

class Structure:
    """The objects of a plan with every version of their fields, and the engine on top.

    An object is a (node id, base) pair; a binding lists one per FORALL variable, then the number of
    each loop. An inconsistency is (number of the constraint, binding)."""

    def __init__(self, trace: Trace, plan: dict[str, Any]) -> None:
        """Loads what a plan (constraints/plan/definition.py: its JSON form) reads of a trace."""
    @staticmethod
    def given(
        plan: dict[str, Any],
        nodes: Sequence[tuple[int, int, int, int, int | None, int, int, bool]],
        writes: Sequence[tuple[int, int, bytes, int]],
        last: int,
    ) -> Structure:
        """Without a trace. Nodes, in order of id: id, address, size, birth, death (timestamps),
        type id, stack (0: unknown), zeroed. Writes, in order of time: timestamp, address, bytes,
        site. A write belongs to the node that lives there; one operation may have several."""
    @property
    def counts(self) -> dict[str, Any]:
        """objects, cells, versions, by_type (objects of each type of the plan)."""
    @property
    def load_seconds(self) -> float: ...
    def check(self, at: int) -> list[tuple[int, list[Any]]]:
        """All inconsistencies as of a timestamp, from scratch."""
    def locate(
        self, cpoints: Sequence[tuple[int, Sequence[int], tuple[int, int] | None]]
    ) -> dict[str, Any]:
        """C-points, ascending: timestamp, the types whose constraints must hold (none: all), and
        where an operation is under way (else None: all that is wrong counts) when what was only
        temporary is settled, and a number for the way through the program (0: not known).

        bad, clean (indices or None), ended (index of the first bad C-point; it is not `bad` where
        the same operation left something unusual before), inconsistencies, traced (how many of
        them were traced back: of very many, some of each constraint), faults [(timestamp,
        relation ('direct' | 'fed' | 'related'), inconsistencies it contributed to)], of so many
        operations the first 2,000, decisive {timestamp: ('value' | 'omission' | 'derived' |
        'followed', the field that should hold something else: (node, base, type, cell), whether
        it holds an address of nothing)} (see native/core/constraints/hypotheses/repair.h), astray
        [(timestamp of a store of an address of nothing, inconsistencies)], exact, evaluations,
        check_seconds, locate_seconds."""
    def cpoints(
        self,
        returns: bool,
        own: Sequence[str],
        exits: Sequence[str],
        entries: Sequence[str],
        lines: Sequence[tuple[str, int]],
    ) -> dict[str, Any]:
        """points [(timestamp, kind, site, function, number, text, settled)], functions (that write
        the structure), inlined (those of them that were never called)."""
    def operations(self, times: Sequence[int]) -> list[dict[str, Any]]:
        """What the changes at some timestamps did: time, kind ('store' | 'birth' | 'death'),
        object, type, and stack or cell, site, old and new (None or value, node, offset, stale)."""
