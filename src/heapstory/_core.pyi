"""The native core: a trace opened for questions. Columns cross as Arrow, never object by object."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol, TypeAlias, TypedDict, type_check_only

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

class Stop:
    """Ends a search from another thread."""

    def set(self) -> None: ...

class ExploredStep:
    """One step on the way to an answer that cannot be explained."""

    @property
    def number(self) -> int:
        """Of the instance, in the order of their calls."""

    @property
    def id(self) -> int: ...
    @property
    def operation(self) -> int: ...
    @property
    def step(self) -> int: ...
    @property
    def arguments(self) -> list[int]: ...
    @property
    def answered(self) -> bool: ...
    @property
    def answer(self) -> list[int]: ...

class Explored:
    """What a search came to."""

    @property
    def outcome(self) -> str:
        """'explained', 'unexplained', or what ended it: 'time', 'states', 'stopped'."""

    @property
    def trail(self) -> list[ExploredStep]: ...
    @property
    def states(self) -> int: ...
    @property
    def ran(self) -> list[tuple[int, int]]:
        """(operation, step)."""

    @property
    def ended(self) -> list[int]:
        """The operations that came to their end."""

    @property
    def faults(self) -> list[tuple[int, int, int]]:
        """(operation, step, what): see `linear.states.exhaustive`."""

class Explorer:
    """All interleavings of a program that `linear.states.bytecode` has made."""

    def __init__(
        self,
        program: Sequence[int],
        type: int,
        object: Sequence[int],
        names: int,
        object_uses_id: bool,
    ) -> None: ...
    def search(
        self,
        operations: int,
        width: int,
        keys: int,
        states: int,
        memory: int,
        seconds: float,
        stop: Stop,
    ) -> Explored: ...

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
    def rows(self, names: Sequence[str], limit: int | None = None) -> list[tuple[Any, ...]]:
        """Several columns, row by row: what makes the table is read once for all of them.

        At most the first ``limit`` rows; what is behind them is not read.
        """

class NodeText:
    """Pieces of JSON."""

    def __iter__(self) -> Iterator[str]: ...
    def __next__(self) -> str: ...

class EdgeText:
    """Pieces of JSON."""

    def __iter__(self) -> Iterator[str]: ...
    def __next__(self) -> str: ...

class Window:
    """All of some nodes over a stretch of time; the tables are in docs/internals/view.md."""

    @property
    def nodes(self) -> int: ...
    @property
    def versions(self) -> int: ...
    @property
    def heap_words_left_out(self) -> int: ...
    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Type and size, by number in the column ``shape``."""
    @property
    def sites(self) -> list[int]:
        """All that the tables name."""
    def tables(self) -> list[tuple[str, Table]]:
        """nodes, node_fields, fields, field_versions, versions."""
    def clusters(self) -> list[tuple[str, Table]]:
        """clusters, merges, extents; none but in mode internals."""
    def differences(self) -> Table:
        """What differs between its first and last timestamp: change ('new' | 'gone' | 'changed'),
        node, offset, before, before_target, before_state, after, after_target, after_state,
        timestamp, site."""

def window(
    trace: Trace,
    first: int,
    last: int,
    nodes: list[int] | None,
    start: list[int] | None,
    depth: int,
    limit: int,
    data_words: int,
    zeroed_words: int,
    fields: bool = True,
    at: int = ...,
    fan: int = ...,
    opened: dict[int, int] = ...,
    wanted: list[tuple[int, int]] = ...,
) -> Window:
    """All nodes of first .. last, those named, or those that pointers lead to from ``start``.

    Words that never held a pointer are left out beyond the first ``data_words`` of a node, and
    words that were zeroed and never written in nodes of more than ``zeroed_words``. Without
    ``fields`` it has nodes alone.

    From ``start``, what stands ``at`` a moment comes first, and at most ``fan`` nodes are gone to
    from each, of those that are ``opened`` so many more. Words that lead nowhere in the window are
    then left out as well, but those ``wanted`` (node, offset)."""

def bands(
    trace: Trace, first: int, last: int, buckets: int, most_chunks: int
) -> tuple[bool, list[tuple[str, Table]]]:
    """Changes with first < timestamp <= last in about so many buckets, and whether that is all of
    them: at most ``most_chunks`` are counted that nobody has counted before."""

def changes(trace: Trace, sites: list[int], first: int, last: int, limit: int) -> Table:
    """What sites (none named: all) changed with first < timestamp <= last, in order: timestamp,
    kind, node, offset, value, site, thread."""

def count_changes(trace: Trace, most: int) -> int:
    """Counts some chunks for ``bands``; how many are left."""

def readable_name(linkage_name: str) -> str:
    """C++ and Rust names demangled; others as they are."""

def pack(tables: list[tuple[str, Table]], for_files: bool) -> tuple[str, list[str], bytes]:
    """Tables as typed arrays: their description in JSON, the strings they name, the arrays."""

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
    def reach(
        self, ignored: Sequence[int] = ..., parts: bool = True, hidden: Sequence[int] = ...
    ) -> Table:
        """node, reach: what leads to the live heap nodes ('reachable', 'possible-leak',
        'possible-indirect-leak', 'leak', 'indirect-leak'); empty where roots were not scanned at
        this timestamp. Globals and roots that are ignored lead nowhere. With parts, pointers to
        elements of new[], to bases and to characters of old strings lead to the whole block; part
        ('array', 'inheritance', 'string' or '') says where it is only by that. Hidden blocks are
        not the program's: any pointer leads to them, and what only a lost one leads to is a leak
        on its own."""
    def node_text(
        self,
        selected: Sequence[int] | None,
        place: Callable[[int | None], str],
        type: Callable[[int | None], str],
        text: Callable[[str], str],
    ) -> NodeText:
        """The (selected) nodes in order of birth as members of a JSON list, in pieces, with the
        commas between them. ``place`` gives the JSON of the statement of a stack, ``type`` that of
        a type's name, each asked once; ``text`` that of a name or label."""
    def edge_text(
        self,
        data: bool,
        selected: Sequence[int] | None,
        place: Callable[[int | None], str],
        field: Callable[[int | None, int, int], str],
    ) -> EdgeText:
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
    def __init__(self, path: str | bytes, salvage: bool = False) -> None:
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
        """Who points to a node: the columns of GraphView.edges(). Makes the index of pointers."""
    def edges_to(self, node: int, at: int) -> Table:
        """The same without that index, which takes long to make for a long trace."""
    def pointing(self, node: int, first: int, last: int) -> Table:
        """Every pointer that ever meant a node and stood at a timestamp in first .. last, oldest
        first: source, offset, value, target_offset, timestamp, until (null: it still stands),
        state (when it was stored), kind, silent, site, thread."""
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
    def pointers_into(self, ranges: Sequence[tuple[int, int]]) -> Table:
        """The rows of ``edges`` whose value is in one of the ranges, both ends included; the
        NULLs that followed in the same fields, too. Much less is kept than for all of them."""
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
        frees:   node, timestamp, address, size, site, stack, thread, deallocator, error, event
        bad_frees: those of them that have an error
        bad_free_kinds: of each kind of these the first, and their count
        cpoints: timestamp, kind, name, site, thread
        marks:   the same without calls and returns, which are most of them
        mappings: files that were mapped: path (null: memory was unmapped), address, size, step
                 (of the stream)
        modules: module, path, build_id, address (where it was loaded), own
        stacks:  stack, depth (0: the statement itself), site"""

@type_check_only
class StreamCounts(TypedDict):
    steps: int  # executions of blocks, and what is no instruction
    instructions: int
    blocks: int
    sequences: int
    bytes: int  # of its chunks

@type_check_only
class ReachedTotals(TypedDict):
    instructions: int  # executions in the slice
    visited: int  # steps walked over
    signals: int  # whose causes and effects are not followed

@type_check_only
class LoadTotals(TypedDict):
    loads: int  # executed, from that memory
    cut: bool  # some value came from more loads than are kept: there may be more pairs

@type_check_only
class ListSlice(TypedDict):
    instructions: int  # executions in the slice
    longest_list: int  # elements of the dependency list
    largest_filter: int  # ranges
    seconds: float

@type_check_only
class ListSlices(TypedDict):
    algorithm4: ListSlice | None
    algorithm4_sorted: ListSlice | None
    algorithm5: ListSlice | None

@type_check_only
class SliceTotals(TypedDict):
    instructions: int  # executions in the slice
    visited: int  # steps walked over
    unresolved: int  # bytes of memory and registers that were there before the stream

@type_check_only
class CodeVariable(TypedDict):
    """Where a variable, or a piece of it, is when an instruction is about to run."""

    name: str
    type: int | None  # as Trace.type
    size: int  # of the variable
    # registers: `at` is its first byte (registers.h); frame: at `at` from the canonical frame
    # address, which is 8 above where the return address lies; memory: at `at` from what the
    # register with first byte `base` holds; address: at `at`. None: optimised away here.
    where: str | None
    at: int
    base: int
    piece: tuple[int, int]  # offset in the variable, and bytes

@type_check_only
class StatementRun(TypedDict):
    """An execution of a statement; without instructions where there is none of that number."""

    count: int  # of the executions that there are
    instructions: list[tuple[int, int]]
    arguments: list[tuple[int, int]]  # others that set up arguments for its calls
    handed: list[_Handed]  # arguments and results of its calls that none of them touches
    after: tuple[int, int]  # where it is over
    next: int | None  # the address of the instruction with which its function goes on
    stack: int | None  # where the return address of its function lies

@type_check_only
class Explanation(TypedDict):
    instructions: int  # executions in the slice
    visited: int  # steps walked over
    signals: int  # whose causes are not followed
    unresolved_memory: list[tuple[int, int]]  # address, bytes: there before the stream
    unresolved_registers: int  # bytes
    exact: bool  # False: of some statements, early executions are one moment
    changed: int  # own instructions in the slice at whose address other code lay as well
    hits: Table
    moments: Table
    edges: Table

# A place, and bytes of registers (first, count) and memory (address, bytes) as they are before it.
_Handed: TypeAlias = tuple[tuple[int, int], Sequence[tuple[int, int]], Sequence[tuple[int, int]]]
# A point, instructions before it, memory there (address, bytes), registers (first byte, count), and
# what is handed over before it.
_Asked: TypeAlias = tuple[
    tuple[int, int],
    Sequence[tuple[int, int]],
    Sequence[tuple[int, int]],
    Sequence[tuple[int, int]],
    Sequence[_Handed],
]

class Slicer:
    """The instruction stream of a trace, made ready for slicing. A place is a step of the stream
    and the number of an instruction in the block that ran there."""

    def __init__(self, trace: Trace) -> None:
        """Reads the stream once; CoreError if there is none."""
    @property
    def counts(self) -> StreamCounts: ...
    def find(self, address: int, number: int = -1) -> tuple[int, int] | None:
        """The execution of that number of the instruction at an address: 1 is the first, -1 the
        last. None if it did not run as often."""
    def since(self, address: int, step: int) -> tuple[int, int] | None:
        """The first execution of the instruction at an address from a step on."""
    def count(self, address: int) -> int:
        """How often the instruction at an address ran."""
    def place(self, address: int) -> list[CodePlace]:
        """The statement of an instruction of the program's own code that ran and, where it was
        inlined, its callers, innermost first; none where that is not known."""
    def addresses(self, path: str, line: int) -> list[int]:
        """The instructions of a line that ran, of files whose path ends so: first those with which
        it begins. Where optimisation left it none of its own: those at which it was to begin, or
        that were inlined into it."""
    def variables(self, address: int) -> list[CodeVariable]:
        """The local variables and parameters in scope at an instruction that ran, innermost first;
        the pieces of a variable that is split follow each other."""
    def step_of(self, event: int) -> int | None:
        """The step in which an event (counted from 0) happened; None: outside the stream."""
    def backward(
        self,
        place: tuple[int, int],
        memory: Sequence[tuple[int, int]] = ...,
        data: bool = True,
        control: bool = True,
        conventions: bool = True,
        addresses: bool = True,
    ) -> tuple[Table, SliceTotals]:
        """What led to the instruction at a place or, where memory is given (address, bytes), to
        what that held before it. Columns: address (of an instruction), count (of its executions in
        the slice), first, last (their steps). Without data or control, dependences of that kind are
        left out; without conventions, saving and restoring registers is nothing special; without
        addresses, how a pointer came about is not asked."""
    def timestamp(self, step: int) -> int:
        """As of the end of a step."""
    @property
    def end(self) -> tuple[int, int]:
        """The place behind everything."""
    def read(self, number: int) -> tuple[int, int] | None:
        """The instruction of a memory read, counted over all of the stream: 1 is the first."""
    def fault(self) -> tuple[int, int] | None:
        """The last instruction that faulted."""
    def writer(self, step: int, address: int) -> tuple[int, int] | None:
        """The instruction that stored to an address in a step."""
    def deciders(self, address: int) -> list[int]:
        """The branches that decide whether the instruction at an address runs, by address."""
    def kept(
        self,
        branch: int,
        writer: int,
        steps: tuple[int, int],
        node: tuple[int, int],
        others: Sequence[tuple[int, int]],
    ) -> tuple[tuple[int, int], int] | None:
        """The execution of a branch (of instructions the addresses; between two steps) after which
        the writer did not run in the same call of the function, that has most to do with a node
        (address, bytes): 0, the function had accessed this one last among those of its kind
        (``others``, by address); 1, it had accessed it; 2, it is the first."""
    def holds(self, block: tuple[int, int], made: int, until: int) -> Table:
        """What held a pointer to a block (address, bytes) between two steps. Columns: address (of a
        word; null: a register), begin (step), end (step; null: it still does), instruction (at the
        end)."""
    def address(self, place: tuple[int, int]) -> int | None:
        """The address of the instruction at a place."""
    def own_instructions(self) -> list[int]:
        """The addresses of the program's own instructions that ran."""
    def set_statements(self, addresses: Sequence[int], numbers: Sequence[int]) -> None:
        """The number of the statement that each instruction belongs to, from 1."""
    def run(
        self,
        addresses: Sequence[int],
        number: int = -1,
        before: tuple[int, int] | None = None,
    ) -> StatementRun:
        """The execution of that number of the statement that has some instructions, before a place.
        It begins where an activation comes to one of them, or goes back to one."""
    def explain(
        self,
        point: tuple[int, int],
        instructions: Sequence[tuple[int, int]] = ...,
        memory: Sequence[tuple[int, int]] = ...,
        registers: Sequence[tuple[int, int]] = ...,
        handed: Sequence[_Handed] = ...,
        data: bool = True,
        control: bool = True,
        conventions: bool = True,
        addresses: bool = True,
        stops: Sequence[int] = ...,
        most: int = 20000,
    ) -> Explanation:
        """What led to some instructions before a point, and to what memory (address, bytes) and
        registers (first byte, count) held there, or registers before that (``handed``), and why.
        Beyond the statements in ``stops`` nothing is looked for.

        moments: statement (0: none), thread, activation, stack (where its return address lies, or
                 null), first, last (steps), many (1: several executions counted as one); the first
                 is the criterion
        edges:   user, definer (rows of moments), kind (0 criterion, 1 memory, 2 register,
                 3 control, 4 call), where (address, or byte of the registers), size, value,
                 count"""
    def forward(
        self,
        origin: _Asked,
        data: bool = True,
        control: bool = True,
        conventions: bool = True,
        addresses: bool = True,
    ) -> tuple[Table, ReachedTotals]:
        """What some instructions, and what memory and registers held at a point, had influence on.
        Columns and options as those of backward."""
    def chop(
        self,
        origin: _Asked,
        target: _Asked,
        data: bool = True,
        control: bool = True,
        conventions: bool = True,
        addresses: bool = True,
    ) -> tuple[Table, ReachedTotals]:
        """What is in the forward slice of the one and in the backward slice of the other."""
    def by_lists(self, place: tuple[int, int], seconds: float) -> ListSlices:
        """The backward slice of an instruction, without conventions, by the algorithms of the
        thesis; None where one takes longer than so many seconds. Takes memory for every
        instruction of the stream."""
    def loops(
        self,
        ignored: Sequence[tuple[int, int]] = ...,
        forward: bool = True,
        whole: bool = True,
    ) -> tuple[Table, Table, Table]:
        """The loops of the program's own code that ran. What code in ``ignored`` (address, bytes)
        makes is not followed. ``whole``: the stream ended with the program.

        loops:        loop, header (address), parent (the loop around it in its function, or 0),
                      reducible, entered, iterations, reached (executions of later iterations in
                      the forward slice of the first one; 0 without forward), entered_before (it was
                      running when what is known of its function begins), goes_on (when the
                      stream ended)
        carried:      loop, kind (flow, anti, control, induction, reduction), from, to (addresses of
                      instructions), memory (or in a register), where (address, or byte of the
                      registers), step, stack (where the return address of the loop's function
                      lies, or null), count, least, most (iterations between them)
        ends:         loop, address (of an instruction that leads back to the header), conditional
                      (a branch, at which the loop may end)"""
    def load_pairs(
        self, memory: Sequence[tuple[int, int, int, int | None]]
    ) -> tuple[Table, LoadTotals]:
        """Pairs of instructions that load from some memory (address, bytes, and the steps between
        which it counts; None: up to the end) of which the second depends on what the first
        loaded: from, to (addresses), kind (address: where it loads from; control: whether it
        runs), count (executions of the second)."""

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
    def handed_on(self, path: str, build_id: str, offset: int, arguments: int) -> list[int]:
        """Of each of the places of a call, from which of its own arguments the function takes one
        of these arguments of the call, if it does no more than that; 0 if it does. Arguments are
        sets of registers, one bit each by the processor's number."""
    def numbers(self, path: str, most: int) -> list[tuple[int, int]]:
        """Addresses, as the file has them, of variables that by their types hold numbers and no
        address: whole words, first and beyond the last, in order, at most so many ranges."""

# The words of plans: see native/core/constraints/plan/vocabulary.h.

class Kind(Enum):
    """How the bytes of a field are read (little-endian)."""

    INT = 0
    UINT = 1
    FLOAT = 2
    POINTER = 3
    CHARS = 4
    WORD = 5

class Op(Enum):
    """What an expression does."""

    FIELD = 0
    INDEX = 1
    STRING = 2
    ATTRIBUTE = 3
    CIRCULAR = 4
    INDEGREE = 5
    OUTDEGREE = 6
    EXTERNAL = 7
    INTERNAL = 8
    ISROOT = 9
    ISLEAF = 10
    EDGE = 11
    PATH = 12
    ROOTED = 13
    SAFE = 14
    WRITTEN = 15
    REFERENCES = 16
    AGGREGATE = 17
    EXISTS = 18
    VARIABLE = 19
    NUMBER = 20
    TEXT = 21
    NULL = 22
    TRUE = 23
    FALSE = 24
    ADD = 25
    SUB = 26
    MUL = 27
    DIV = 28
    MOD = 29
    BITAND = 30
    NEG = 31
    ABS = 32
    MIN = 33
    MAX = 34
    LEAST = 35
    GREATEST = 36
    ELEMENT = 37
    EXTENT = 38
    LENGTH = 39
    HASH = 40
    EQ = 41
    NE = 42
    LT = 43
    LE = 44
    GT = 45
    GE = 46
    AND = 47
    OR = 48
    NOT = 49
    IF = 50

class BinderKind(Enum):
    """Where the candidates for a variable are to be found."""

    ALL = 0
    VALUE = 1
    OUT = 2
    IN = 3
    REACHED = 4
    REACHING = 5

class Quantifier(Enum):
    FORALL = 0
    EXISTS = 1

class ShapeKind(Enum):
    """How to find canonical witnesses."""

    NESTED = 0
    ACYCLIC = 1
    CONNECTED = 2
    UNIQUE = 3
    ROOTED = 4

def is_atom(op: Op) -> bool:
    """Whether the traceback compares the values of such expressions."""

@type_check_only
class PlanLike(Protocol):
    """A ``heapstory.constraints.plan.Plan``: the engine reads of it and its parts what
    native/core/constraints/plan/plan.h lists."""

    @property
    def types(self) -> Sequence[object]: ...
    @property
    def edge_sets(self) -> Sequence[Sequence[object]]: ...
    @property
    def attributes(self) -> Sequence[object]: ...
    @property
    def constraints(self) -> Sequence[object]: ...

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

class Inconsistency:
    """``constraint`` is its number in the plan. ``binding`` has an object, a (node id, base) pair,
    per FORALL variable, then the number of each loop."""

    @property
    def constraint(self) -> int: ...
    @property
    def binding(self) -> list[tuple[int, int] | int]: ...

class Relation(Enum):
    """What an operation has to do with an inconsistency: it contributed, wrote a value that is read
    there, or contributed to something wrong that led there."""

    DIRECT = 0
    FED = 1
    RELATED = 2

class Contribution:
    """An operation of Algorithm 3's answer, by its timestamp."""

    @property
    def time(self) -> int: ...
    @property
    def relation(self) -> Relation: ...
    @property
    def contributed_to(self) -> list[Inconsistency]: ...

class Grade(Enum):
    """Why an operation is decisive (native/core/constraints/hypotheses/decisive.h)."""

    VALUE = 0
    OMISSION = 1
    DERIVED = 2
    FOLLOWED = 3

class FieldPlace:
    """A field: ``cell`` counts the fields of a plan's type, then the elements of its runs."""

    @property
    def node(self) -> int: ...
    @property
    def base(self) -> int: ...
    @property
    def type(self) -> int: ...
    @property
    def cell(self) -> int: ...

class DecisiveOperation:
    """``field`` should hold something else, if it is one; ``wild``: it holds a dangling or wild
    pointer."""

    @property
    def time(self) -> int: ...
    @property
    def grade(self) -> Grade: ...
    @property
    def field(self) -> FieldPlace | None: ...
    @property
    def wild(self) -> bool: ...

class WildPointer:
    """A store of a dangling or wild pointer, at ``time``."""

    @property
    def time(self) -> int: ...
    @property
    def inconsistency(self) -> Inconsistency: ...

class LocateAnswer:
    """C-points are given by their index."""

    @property
    def bad(self) -> int | None: ...
    @property
    def clean(self) -> int | None:
        """The last C-point before the bad one at which all was well."""
    @property
    def ended(self) -> int | None:
        """The first bad C-point; it is not ``bad`` where the same operation left something unusual
        before."""
    @property
    def exact(self) -> bool:
        """Every C-point was looked at for every constraint."""
    @property
    def evaluations(self) -> int: ...
    @property
    def inconsistencies(self) -> list[Inconsistency]: ...
    @property
    def traced(self) -> int:
        """How many of them were traced back: of very many, some of each constraint."""
    @property
    def operations(self) -> int:
        """How many contributed; of very many only the first are in ``faults``."""
    @property
    def faults(self) -> list[Contribution]: ...
    @property
    def decisive(self) -> list[DecisiveOperation]: ...
    @property
    def wild(self) -> list[WildPointer]: ...
    @property
    def check_seconds(self) -> float: ...
    @property
    def locate_seconds(self) -> float: ...

class CPointKind(Enum):
    EXIT = 0
    ENTRY = 1
    MARK = 2
    OPTION = 3
    CRASH = 4
    END = 5

class FoundCPoint:
    """``site`` is the statement of the call, the mark or the crash (0: unknown), ``depth`` which of
    its places if the function was inlined, ``number`` which one of ``record --cpoint``, ``text``
    what the program said. What is no longer wrong at ``operation_end`` does not count (None: all
    does). ``is_round``: of an inlined function that has made the same calls again since, so that it
    may have ended and have been entered again. ``busy``: when other threads ran in operations that
    they have not ended, after the first timestamp and up to the second."""

    @property
    def time(self) -> int: ...
    @property
    def kind(self) -> CPointKind: ...
    @property
    def site(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def function(self) -> str: ...
    @property
    def number(self) -> int | None: ...
    @property
    def text(self) -> str: ...
    @property
    def operation_end(self) -> int | None: ...
    @property
    def is_round(self) -> bool: ...
    @property
    def busy(self) -> list[tuple[int, int]]: ...

class CPointAnswer:
    """``functions`` write the structure; the ``inlined`` ones of them were never called."""

    @property
    def points(self) -> list[FoundCPoint]: ...
    @property
    def functions(self) -> list[str]: ...
    @property
    def inlined(self) -> list[str]: ...
    @property
    def inlined_users(self) -> list[str]:
        """Of the users asked about, those of which some calls were inlined."""

class HeldValue:
    """What a field holds; a pointer means a ``node``, which may have been freed by then."""

    @property
    def value(self) -> int: ...
    @property
    def node(self) -> int | None: ...
    @property
    def offset(self) -> int | None: ...
    @property
    def stale(self) -> bool: ...

class OperationKind(Enum):
    STORE = 0
    BIRTH = 1
    DEATH = 2

class Operation:
    """What one change did to one field (``cell``, ``site``, ``before`` and ``after``; None: never
    written), or to one node (``stack``)."""

    @property
    def time(self) -> int: ...
    @property
    def kind(self) -> OperationKind: ...
    @property
    def object(self) -> tuple[int, int]: ...
    @property
    def type(self) -> int: ...
    @property
    def stack(self) -> int: ...
    @property
    def cell(self) -> int: ...
    @property
    def site(self) -> int: ...
    @property
    def before(self) -> HeldValue | None: ...
    @property
    def after(self) -> HeldValue | None: ...

class Counts:
    """``by_type``: objects of each type of the plan."""

    @property
    def objects(self) -> int: ...
    @property
    def cells(self) -> int: ...
    @property
    def versions(self) -> int: ...
    @property
    def by_type(self) -> list[int]: ...

class Structure:
    """The objects of a plan with every version of their fields, and the engine on top."""

    def __init__(self, trace: Trace, plan: PlanLike, until: int | None = None) -> None:
        """Loads what a plan reads out of a trace, up to a timestamp."""
    @staticmethod
    def given(
        plan: PlanLike,
        nodes: Sequence[tuple[int, int, int, int, int | None, int, int, bool]],
        writes: Sequence[tuple[int, int, bytes, int]],
        last: int,
    ) -> Structure:
        """Without a trace. Nodes, in order of id: id, address, size, birth, death (timestamps),
        type id, stack (0: unknown), zeroed. Writes, in order of time: timestamp, address, bytes,
        site. A write belongs to the node that lives there; one operation may have several."""
    @property
    def counts(self) -> Counts: ...
    @property
    def load_seconds(self) -> float: ...
    def check(self, at: int) -> list[Inconsistency]:
        """All inconsistencies as of a timestamp, from scratch."""
    def locate(
        self,
        cpoints: Sequence[tuple[int, Sequence[int], tuple[int, int] | None]],
        busy: Mapping[int, Sequence[tuple[int, int]]] = ...,
        rounds: Sequence[int] = ...,
        strict: bool = True,
    ) -> LocateAnswer:
        """C-points, ascending: timestamp, the types whose constraints must hold (none: all), and
        where an operation is under way (else None: all that is wrong counts) when it ends, and a
        number for the way through the program (0: not known). ``busy``, by C-point: when other
        threads ran in operations that they have not ended. ``rounds``: C-points that are ends of
        rounds (see FoundCPoint). Not ``strict``: where a type has roots,
        only what is wrong with the nodes that these lead to, and nodes that are lost."""
    def cpoints(
        self,
        returns: bool,
        own: Sequence[str],
        users: Sequence[str],
        exits: Sequence[str],
        entries: Sequence[str],
        lines: Sequence[tuple[str, int]],
    ) -> CPointAnswer:
        """Returns from the structure's own code (the functions that write it, or these ``own``;
        never these ``users``, who like main only use it),
        exits and entries of functions, calls and writes at (file, line); and marks, the crash, the
        end."""
    def operations(self, times: Sequence[int]) -> list[Operation]:
        """What the changes at some timestamps did."""

class MachineFault:
    """What C gives no meaning, or the machine none (`linear.ir.judge`)."""

    @property
    def what(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def detail(self) -> int: ...

class MachineEvent:
    """One access, or the beginning or end of a call."""

    @property
    def thread(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def kind(self) -> int: ...
    @property
    def address(self) -> int: ...
    @property
    def value(self) -> int: ...

class MachineCall:
    """One call of a history."""

    @property
    def operation(self) -> int: ...
    @property
    def thread(self) -> int: ...
    @property
    def slot(self) -> int: ...
    @property
    def argument(self) -> int: ...
    @property
    def answer(self) -> int: ...
    @property
    def answered(self) -> bool: ...
    @property
    def after(self) -> int:
        """The slots of calls that come before it, as bits."""

class MachineSequence:
    """Calls one after the other."""

    @property
    def answers(self) -> list[tuple[int, int]]:
        """Status and value of those that ended."""

    @property
    def faults(self) -> list[MachineFault]: ...

MOST_ROUNDS: int

class Interleaved:
    """What a search came to."""

    @property
    def outcome(self) -> str:
        """'explained', 'unexplained', 'odd', or what ended it: 'time', 'states', 'memory',
        'stopped'."""

    @property
    def states(self) -> int: ...
    @property
    def waited(self) -> bool:
        """Whether a thread saw nothing new for `MOST_ROUNDS` rounds, and went on no more."""

    @property
    def histories(self) -> int:
        """How many were drawn."""

    @property
    def calls(self) -> list[MachineCall]: ...
    @property
    def trail(self) -> list[MachineEvent]: ...
    @property
    def faults(self) -> list[MachineFault]: ...
    @property
    def fault_trail(self) -> list[MachineEvent]: ...
    @property
    def fault_calls(self) -> list[MachineCall]: ...
    @property
    def ended(self) -> list[bool]: ...
    @property
    def status(self) -> int: ...

class Interleaver:
    """All interleavings of calls of a program that `linear.ir` has made."""

    def __init__(self, words: Sequence[int]) -> None: ...
    def search(
        self,
        calls: int,
        threads: int,
        keys: int,
        states: int,
        memory: int,
        seconds: float,
        alone: bool,
        stop: Stop,
        program: Sequence[Sequence[int]] = ...,
    ) -> Interleaved:
        """All histories; ``program``: the operations that each thread calls."""

    def draw(
        self,
        calls: int,
        threads: int,
        keys: int,
        first: int,
        count: int,
        seconds: float,
        stop: Stop,
        program: Sequence[Sequence[int]] = ...,
    ) -> Interleaved:
        """Random histories of that many calls; the same ones for the same seeds."""

    def together(self, threads: int) -> list[list[int]]:
        """What the operations can answer together, each called once by a thread of its own."""

    def one_by_one(self, calls: Sequence[tuple[int, int]]) -> MachineSequence: ...
