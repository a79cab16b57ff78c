"""Which functions of a file are the operations of which abstract type, by their names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from heapstory.errors import UsageError
from heapstory.linear.ir.module import SYSTEM, Declared, Module

QUEUE, STACK, DEQUE, SET, REGISTER, COUNTER, LOCK = (
    "queue", "stack", "deque", "set", "register", "counter", "lock",
)  # fmt: skip
# type -> method -> what functions call it
_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    DEQUE: {
        "push": ("push", "pushbottom", "put"),
        "pop": ("pop", "take", "popbottom"),
        "steal": ("steal", "poptop"),
    },
    QUEUE: {
        "enqueue": (
            "enqueue",
            "enq",
            "push",
            "put",
            "add",
            "send",
            "offer",
            "produce",
            "insert",
        ),
        "dequeue": (
            "dequeue",
            "deq",
            "pop",
            "get",
            "take",
            "receive",
            "recv",
            "poll",
            "consume",
            "retrieve",
            "extract",
        ),
    },
    STACK: {"push": ("push",), "pop": ("pop",)},
    SET: {
        "add": ("add", "insert"),
        "remove": ("remove", "delete", "erase", "del", "rm"),
        "contains": ("contains", "member", "find", "lookup", "search", "exists"),
    },
    REGISTER: {"write": ("write", "store"), "read": ("read", "load")},
    COUNTER: {
        "increment": ("increment", "inc"),
        "decrement": ("decrement", "dec"),
        "read": ("read", "get"),
    },
    LOCK: {
        "lock": ("lock", "acquire", "acq", "enter"),
        "unlock": ("unlock", "release", "rel", "leave"),
    },
}
TAKING = {*_WORDS[QUEUE]["dequeue"], *_WORDS[DEQUE]["pop"], *_WORDS[DEQUE]["steal"]}
_NEEDED = {
    DEQUE: {"push", "pop", "steal"}, QUEUE: {"enqueue", "dequeue"}, STACK: {"push", "pop"},
    SET: {"add", "remove"}, REGISTER: {"write", "read"}, COUNTER: {"increment", "read"},
    LOCK: {"lock", "unlock"},
}  # fmt: skip
_QUEUELIKE = re.compile(r"queue|fifo|ring|mpmc|spsc|mpsc|spmc|channel|lfq", re.IGNORECASE)
_STACKLIKE = re.compile(r"stack|lifo", re.IGNORECASE)
_FIFO = re.compile(r"queue|fifo", re.IGNORECASE)
_FEW = re.compile(r"spsc|mpsc|spmc|mpmc")
_FEW_WORD = re.compile(r"\b(?:spsc|mpsc|spmc|mpmc)\b")
_HOW_MANY = re.compile(
    r"\b(single|one|1|multi|multiple|many) (?:producer|writer|reader)s?(?: threads?)?"
    r"(?: and| to|)(?: a|) (single|one|1|multi|multiple|many) (?:consumer|reader|writer)s?\b"
)
_MANY = {"multi": "m", "multiple": "m", "many": "m"}
MOST_SHOWN = 8  # functions
_LISTLIKE = re.compile(r"list|set|tree|hash|map|bst", re.IGNORECASE)
# Words of some types for these, which other types use for something else.
_QUEUE_WORDS: dict[str, tuple[str, ...]] = {
    "enqueue": ("write", "append", "insert"),
    "dequeue": ("read", "remove", "fetch"),
}
_STACK_WORDS: dict[str, tuple[str, ...]] = {
    "push": ("insert", "put", "add"),
    "pop": ("remove", "delete", "del", "take", "get"),
}
_BACK, _FRONT = {"back", "tail", "last", "rear"}, {"front", "head", "first"}
_FOR_ONE = {"sp", "sc", "single"}  # a variant that only one thread may call
_TRIES = {"try", "trylock", "tryacquire", "is", "size", "count", "bulk", "burst", "multi"}
_ASKS = {"available", "avail", "space", "capacity", "remaining"}  # what tells, and takes nothing
# For a lock: who only tries may fail, and readers do not exclude each other.
_NOT_ALONE = {"try", "read", "rd", "reader", "readers", "shared"}
MAKES = {
    "init", "initialize", "initialise", "create", "new", "make", "setup", "alloc", "ctor",
}  # fmt: skip
_PARTS = {"node", "handle", "thread", "tls", "local", "worker", "item", "entry", "record"}
# What works on a structure and does not make its initial state.
_OTHERS = {
    "destroy", "free", "fini", "deinit", "cleanup", "release", "print", "dump", "show", "close",
    "clear", "flush", "drain", "resize", "peek", "top", "front", "empty", "full", "length",
    "foreach", "iterate", "stop", "wake", "wait", "test", "thread",
}  # fmt: skip
_INIT = "init"  # what --functions calls the function that makes the initial state
_FIRST = "register"  # and the one that each thread calls first
_STARTS = re.compile(r"\bcall .*@(?:pthread_create|thrd_create)\(")
_FUNCTION = re.compile(r"@[\w.$]+")
_STORED = re.compile(r"\bstore .*, (?:ptr|[^,]*\*) (%[\w.]+|@[\w.$-]+)(?=,|$)")


@dataclass(frozen=True)
class Chosen:
    """The functions that are operations, by method, and the type they implement."""

    kind: str
    methods: dict[str, Declared]
    maker: Declared | None = None  # of the initial state, where it is known
    type: str = ""  # of the object, where one was made of a class
    registers: Declared | None = None  # what each thread calls first, where it is known
    apart: bool = False  # a value is looked at, and taken by another call


def words_of(name: str) -> list[str]:
    """The words of a name: ``try_enqueue`` and ``tryEnqueue`` have two."""
    return [w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def choose(module: Module, functions: str | None, implements: str | None) -> Chosen:
    """The operations of a file."""
    if implements and implements not in _WORDS:
        known = ", ".join(sorted(_WORDS))
        raise UsageError(f"unknown type '{implements}' (known: {known})")
    if functions:
        return _told(module, functions, implements)
    return _by_names(module, implements)


def by_names(
    names: list[str], hints: list[str], functions: str | None, implements: str | None
) -> tuple[str, dict[str, str]] | None:
    """The type that functions of these names implement, and which is which method; None: none."""
    if functions:
        told = dict(item.partition("=")[::2] for item in functions.split(","))
        methods = {method or name: name for name, method in told.items()}
        kind = _fitting(set(methods), implements)
        return (kind, methods) if kind and set(told) <= set(names) else None
    for kind in [implements] if implements else _likely([*hints, *names]):
        found = {m: _best(names, kind, words) for m, words in _words(kind, hints).items()}
        methods = {m: name for m, name in found.items() if name}
        if set(methods) >= _NEEDED[kind]:
            return kind, methods
    return None


def _by_names(module: Module, implements: str | None, maker: Declared | None = None) -> Chosen:
    """Those of one class, or with one type for their first parameter, before any."""
    started = _started(module)
    every = [
        f
        for f in module.functions.values()
        if not f.file.startswith(SYSTEM) and f.symbol not in started
    ]
    own = [f for f in every if f.file == str(Path(module.path).resolve())]
    hints = [module.path.rsplit("/", 1)[-1], *(f.name for f in every), *(f.owner for f in every)]
    for kind in [implements] if implements else _likely(hints):
        for files in (own, every):
            of = {_group(f): [g for g in files if _group(g) == _group(f)] for f in files}
            for group in [*of.values(), files]:
                words = _words(kind, hints)
                found = {m: _named(group, kind, some) for m, some in words.items()}
                methods = {m: f for m, f in found.items() if f is not None and f is not maker}
                if set(methods) >= _NEEDED[kind]:
                    return Chosen(kind, methods, maker)
    raise UsageError(f"{module.path}: no functions named like a type's methods; {_asked(own)}")


def _asked(functions: list[Declared]) -> str:
    """What to say to name the operations."""
    names = [f.name for f in functions if f.name != "main" and f.name[:1].isalpha()]
    shown = list(dict.fromkeys(names))[:MOST_SHOWN]
    known = f"; there are {', '.join(shown)}" if shown else ""
    one, other = (*shown, "NAME", "OTHER")[:2]
    return f"say which are, such as --functions {one}=enqueue,{other}=dequeue{known}"


def _started(module: Module) -> set[str]:
    """Functions that threads of the file begin with: these call operations."""
    lines = (line for f in module.functions.values() for line in f.lines)
    return {name for line in lines if _STARTS.search(line) for name in _FUNCTION.findall(line)}


def _group(function: Declared) -> str:
    return function.owner or (function.types[0].text if function.types else "")


def _told(module: Module, functions: str, implements: str | None) -> Chosen:
    methods = {}
    by_name = {f.name: f for f in module.functions.values()}
    for item in functions.split(","):
        name, _, method = item.partition("=")
        if name not in by_name:
            raise UsageError(f"{module.path}: no function '{name}'")
        methods[method or name] = by_name[name]
    maker, first = methods.pop(_INIT, None), methods.pop(_FIRST, None)
    if not methods:
        return replace(_by_names(module, implements, maker), registers=first)
    kind = _fitting(set(methods), implements)
    if kind is None:
        raise UsageError(f"{module.path}: which abstract type? say --implements TYPE")
    return Chosen(kind, methods, maker, registers=first)


def _fitting(methods: set[str], implements: str | None) -> str | None:
    """The smallest type that has these methods."""
    kinds = [implements] if implements else sorted(_WORDS, key=lambda k: len(_WORDS[k]))
    return next((k for k in kinds if methods <= set(_WORDS[k])), None)


def _likely(hints: list[str]) -> list[str]:
    """The types in the order in which they are tried, by the names of files, classes, functions."""
    names = " ".join(hints)
    listlike, queuelike = _LISTLIKE.search(names), _QUEUELIKE.search(names)
    if _STACKLIKE.search(names) and not _FIFO.search(names):
        queuelike = None  # an mpmc stack
    first = [DEQUE, *([QUEUE, STACK] if queuelike else [STACK])]
    sets = [SET] if listlike or not queuelike else []
    return [*first, *sets, *([] if queuelike else [QUEUE]), LOCK, COUNTER, REGISTER]


def _named(group: list[Declared], kind: str, methods: tuple[str, ...]) -> Declared | None:
    """The function for a method: of those with a word of it, one that no other of them calls; and
    rather one that answers a plain value than an ``optional``."""
    found = [f for f in group if _is(f.name, kind, methods)]
    found = [f for f in found if "<" not in f.returns.text] or found
    every = {w for words in _WORDS[kind].values() for w in words}
    others = {f.symbol: f for f in [*found, *group] if f in found or _is(f.name, kind, (*every,))}
    called = {symbol for f in others.values() for symbol in f.calls if symbol != f.symbol}
    outer = [f for f in found if f.symbol not in called] or found
    return min(outer, key=lambda f: _rank(f.name, methods), default=None)


def _best(names: list[str], kind: str, methods: tuple[str, ...]) -> str | None:
    """The name that is most like that of a method."""
    found = [name for name in names if _is(name, kind, methods)]
    return min(found, key=lambda name: _rank(name, methods), default=None)


def _rank(name: str, methods: tuple[str, ...]) -> tuple[bool, int, int]:
    """A queue of whose ends both take and give is one from back to front."""
    words = words_of(name)
    takes, ends = bool(TAKING & set(methods)), set(words)
    odd = bool(ends & (_BACK if takes else _FRONT)) and methods[0] in ("enqueue", "dequeue")
    odd = odd or bool(ends & _FOR_ONE)
    return odd, min(methods.index(w) for w in words if w in methods), len(name)


def _words(kind: str, hints: list[str]) -> dict[str, tuple[str, ...]]:
    """What functions call the methods of a type."""
    found, names = _WORDS[kind], " ".join(hints)
    more: dict[str, tuple[str, ...]] = {}
    if kind == QUEUE and _QUEUELIKE.search(names):
        more = _QUEUE_WORDS
    elif kind == STACK and _STACKLIKE.search(names):
        more = _STACK_WORDS
    return {method: (*words, *more.get(method, ())) for method, words in found.items()}


def _is(name: str, kind: str, methods: tuple[str, ...]) -> bool:
    words = set(words_of(name))
    if name == "main" or name[0] == "_" or not words & set(methods):
        return False
    if kind == LOCK and words & _NOT_ALONE:
        return False
    extra = words & (_TRIES - {"try"} | _ASKS | MAKES | {"test", "node", "slowpath"})
    if "thread" in words and not for_one_thread(name):
        return False
    return not extra and "hp" not in words


def for_one_thread(name: str) -> bool:
    """Whether a function says that only one thread calls it."""
    return {"single", "thread"} <= set(words_of(name))


def few(names: list[str]) -> str:
    """``spsc`` and the like, in the first of some names that says so; or else nothing."""
    letters = (re.sub(r"[^a-z]", "", name.lower()) for name in names)
    return next((m.group() for each in letters if (m := _FEW.search(each))), "")


def few_said(text: str) -> str:
    """The same in what a file says of itself: ``single producer, single consumer``; nothing where
    it speaks of several kinds."""
    plain = re.sub(r"[^a-z0-9]+", " ", text.lower())
    kinds = set(_FEW_WORD.findall(plain))
    for makers, takers in _HOW_MANY.findall(plain):
        kinds.add("".join((_MANY.get(makers, "s"), "p", _MANY.get(takers, "s"), "c")))
    return kinds.pop() if len(kinds) == 1 else ""


def _plain(name: str) -> str:
    """The name of a class without the arguments of its template."""
    return name.partition("<")[0]


def initialisers(module: Module, chosen: Chosen) -> list[Declared]:
    """Functions that may make the initial state, the likeliest first."""
    if chosen.maker is not None:
        return [chosen.maker]
    used = {f.symbol for f in chosen.methods.values()}
    found = [
        f
        for f in module.functions.values()
        if f.symbol not in used
        and f.name != "main"
        and (set(words_of(f.name)) & MAKES or (f.owner and _plain(f.name) == _plain(f.owner)))
    ]
    called = {symbol for f in module.functions.values() for symbol in f.calls if f.name != "main"}
    return sorted(found, key=lambda f: (f.symbol in called, bool(set(words_of(f.name)) & _PARTS)))


def unnamed_maker(module: Module, chosen: Chosen, shared: str | None) -> Declared | None:
    """A function that writes to the structure, has nothing to do with its operations, and no name
    that says what it is for: it may make the initial state."""
    operations = {f.symbol for f in chosen.methods.values()}
    used = reached(module, operations)
    known = _OTHERS | _TRIES | {w for kinds in _WORDS.values() for ws in kinds.values() for w in ws}
    for function in module.functions.values():
        apart = function.symbol not in used and not operations & reached(module, {function.symbol})
        handed = any(t.text in (shared, f"{shared}*") for t in function.types)
        works = (handed if shared else not function.types) and _writes(function)
        words = words_of(function.name)
        asks = any(w.startswith("try") or w.endswith("able") for w in words)
        named = function.owner or function.name == "main" or asks or set(words) & known
        if apart and works and not named:
            return function
    return None


def reached(module: Module, symbols: set[str]) -> set[str]:
    """Functions, and those they call."""
    found: set[str] = set()
    todo = list(symbols)
    while todo:
        symbol = todo.pop()
        if symbol not in found and symbol in module.functions:
            found.add(symbol)
            todo += module.functions[symbol].calls
    return found


def _writes(function: Declared) -> bool:
    """Whether a function writes to anything but its own slots."""
    slots = {m.group(1) for m in re.finditer(r"(%[\w.]+) = alloca", "\n".join(function.lines))}
    stored = {m.group(1) for line in function.lines if (m := _STORED.search(line))}
    other = re.compile(r"\b(atomicrmw|cmpxchg)\b|@llvm\.mem(set|cpy)|_init\(")
    return bool(stored - slots) or any(other.search(line) for line in function.lines)
