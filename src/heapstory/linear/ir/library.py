"""Functions of the C library, of threads and of the compiler, as the native machine has them."""

from __future__ import annotations

import re

from heapstory.linear.ir import instructions as op
from heapstory.linear.ir.emitter import Emitter
from heapstory.linear.ir.exceptions import THROWING

# name -> what it is, and which of its arguments count
_PLAIN: dict[str, tuple[int, tuple[int, ...]]] = {
    "malloc": (op.ALLOCATE, (0,)),
    "_Znwm": (op.ALLOCATE, (0,)),
    "_Znam": (op.ALLOCATE, (0,)),
    "_ZnwmSt11align_val_t": (op.ALLOCATE, (0,)),
    "__VERIFIER_malloc": (op.ALLOCATE, (0,)),
    "__VERIFIER_malloc_aligned": (op.ALLOCATE, (1,)),
    "__VERIFIER_free": (op.FREE, (0,)),
    "aligned_alloc": (op.ALLOCATE, (1,)),
    "memalign": (op.ALLOCATE, (1,)),
    "valloc": (op.ALLOCATE, (0,)),
    "calloc": (op.ALLOCATE_CLEAR, (0, 1)),
    "free": (op.FREE, (0,)),
    "_ZdlPv": (op.FREE, (0,)),
    "_ZdlPvm": (op.FREE, (0,)),
    "_ZdaPv": (op.FREE, (0,)),
    "_ZdaPvm": (op.FREE, (0,)),
    "_ZdlPvSt11align_val_t": (op.FREE, (0,)),
    "_ZdlPvmSt11align_val_t": (op.FREE, (0,)),
    "_ZdaPvSt11align_val_t": (op.FREE, (0,)),
    "_ZnamSt11align_val_t": (op.ALLOCATE, (0,)),
    "_ZnwmRKSt9nothrow_t": (op.ALLOCATE, (0,)),
    "_ZnamRKSt9nothrow_t": (op.ALLOCATE, (0,)),
    "__cxa_allocate_exception": (op.ALLOCATE, (0,)),
    "__cxa_rethrow": (op.RAISE_AGAIN, ()),
    "memset": (op.FILL, (0, 1, 2)),
    "memcpy": (op.COPY, (0, 1, 2)),
    "memmove": (op.COPY, (0, 1, 2)),
    "memcmp": (op.COMPARE_MEMORY, (0, 1, 2)),
    "bcmp": (op.COMPARE_MEMORY, (0, 1, 2)),
    "realloc": (op.REALLOCATE, (0, 1)),
    "pthread_mutex_lock": (op.LOCK, (0,)),
    "pthread_mutex_trylock": (op.TRY_LOCK, (0,)),
    "pthread_mutex_unlock": (op.UNLOCK, (0,)),
    "pthread_rwlock_unlock": (op.UNLOCK, (0,)),
    "pthread_rwlock_rdlock": (op.LOCK, (0,)),
    "pthread_rwlock_wrlock": (op.LOCK, (0,)),
    "pthread_rwlock_tryrdlock": (op.TRY_LOCK, (0,)),
    "pthread_rwlock_trywrlock": (op.TRY_LOCK, (0,)),
    "sem_wait": (op.LOCK, (0,)),
    "sem_post": (op.UNLOCK, (0,)),
    "pthread_spin_lock": (op.LOCK, (0,)),
    "pthread_spin_trylock": (op.TRY_LOCK, (0,)),
    "pthread_spin_unlock": (op.UNLOCK, (0,)),
    "mtx_lock": (op.LOCK, (0,)),
    "mtx_trylock": (op.TRY_LOCK, (0,)),
    "mtx_unlock": (op.UNLOCK, (0,)),
    "pthread_self": (op.THREAD, ()),
    "__assert_fail": (op.FAILED, ()),
    "__VERIFIER_assert_fail": (op.FAILED, ()),
    "__VERIFIER_error": (op.FAILED, ()),
    "reach_error": (op.FAILED, ()),
    "__VERIFIER_assume": (op.ASSUME, (0,)),
    "abort": (op.FAILED, ()),
    "exit": (op.FAILED, ()),
    "_exit": (op.FAILED, ()),
    "_ZSt9terminatev": (op.FAILED, ()),
    "__cxa_pure_virtual": (op.FAILED, ()),
}
# locks that are not mutexes
_LOCKS = {
    "pthread_rwlock_unlock": op.FOR_WRITING,
    "pthread_rwlock_rdlock": op.FOR_READING,
    "pthread_rwlock_tryrdlock": op.FOR_READING,
    "pthread_rwlock_wrlock": op.FOR_WRITING,
    "pthread_rwlock_trywrlock": op.FOR_WRITING,
    "pthread_spin_lock": op.FOR_WRITING,
    "pthread_spin_trylock": op.FOR_WRITING,
    "pthread_spin_unlock": op.FOR_WRITING,
    "sem_wait": op.SEMAPHORE,
    "sem_post": op.SEMAPHORE,
}
_CLEARED = {"pthread_mutexattr_init", "pthread_spin_init", "pthread_rwlock_init"}
_KIND = 16  # the byte of a mutex where glibc keeps what happens if its own thread locks it
_NOTHING = {
    "pthread_mutex_destroy", "pthread_spin_destroy", "mtx_destroy", "sched_yield", "thrd_yield",
    "pthread_yield", "usleep", "sleep", "nanosleep", "clock_nanosleep", "thrd_sleep", "printf",
    "puts", "putchar", "fprintf", "fflush", "perror", "fputs", "fwrite", "pthread_cond_init",
    "pthread_cond_signal", "pthread_cond_broadcast", "pthread_cond_destroy", "cnd_init",
    "cnd_signal", "cnd_broadcast", "cnd_destroy", "pthread_rwlock_destroy", "sem_destroy",
    "pthread_mutexattr_destroy", "__cxa_atexit", "__cxa_thread_atexit",
    "__cxa_end_catch", "__cxa_free_exception", "atexit", "__tsan_acquire", "__tsan_release",
    "_ZNSt18condition_variable10notify_oneEv", "_ZNSt18condition_variable10notify_allEv",
    "_ZNSt8ios_base4InitC1Ev", "_ZNSt8ios_base4InitD1Ev",
}  # fmt: skip
# Constructors and destructors of what only carries a message, or has nothing in it that counts
# here. Who reads such an object finds that nothing was written.
_HOLLOW = re.compile(
    r"_ZNSt(?:\d+(?:\w*_error|\w*exception|out_of_range|invalid_argument|bad_alloc"
    r"|condition_variable)|7__cxx1112basic_stringIc\w*E|SaIc|aIcE?)[CD][012]E"
)
_SAME = ("__cxa_begin_catch", "__cxa_get_exception_ptr", "_ZStls", "_ZNSols", "_ZNSo")
_WAITS = {
    "pthread_cond_wait": False,
    "cnd_wait": False,
    "pthread_cond_timedwait": True,
    "pthread_cond_clockwait": True,
    "cnd_timedwait": True,
}  # whether it may give up
_STD_WAIT = "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"
_TIMED_OUT = 110
_KEYED = {"pthread_key_create", "pthread_getspecific", "pthread_setspecific"}
# name -> which argument the time is written to; -1: it is the result
_CLOCKS = {
    "_ZNSt6chrono3_V212steady_clock3nowEv": -1, "_ZNSt6chrono3_V212system_clock3nowEv": -1,
    "clock": -1, "time": -1, "llvm.readcyclecounter": -1, "llvm.x86.rdtsc": -1,
    "gettimeofday": 0, "clock_gettime": 1, "timespec_get": 0,
}  # fmt: skip
# futex: a wait may end for no reason, so it only lets others in; gettid
_SYSTEM_CALLS: dict[int | None, int] = {202: op.NOTHING, 186: op.THREAD}
_LATE = 1 << 40  # a time behind all others
_RANDOM = {"rand", "random", "rand_r", "_ZNSt6thread20hardware_concurrencyEv"}
# Variables of libraries that hold 0, or whose value nobody looks at.
_KNOWN = re.compile(
    r"__libc_single_threaded|_ZSt4cout|_ZSt4cerr|_ZSt7nothrow|_ZT[IVS]\w+|stdout|stderr"
    r"|__dso_handle"
)
_IGNORED = (
    "llvm.dbg.", "llvm.lifetime.", "llvm.assume", "llvm.donothing", "llvm.va_end",
    "llvm.x86.sse2.pause", "llvm.prefetch", "llvm.experimental.noalias",
)  # fmt: skip
# A function that is not in the file and gives the number of the thread.
_THREAD_NUMBER = re.compile(r"(get_?)?(my_?)?(thread|tid)(_?(num|number|id|index|nr))?")
_BITS = {
    "llvm.ctpop.i": op.ONES, "llvm.ctlz.i": op.ZEROS_ABOVE, "llvm.cttz.i": op.ZEROS_BELOW,
}  # fmt: skip
_ONCE = "a lock for pthread_once"
_KEYS = "the number of keys"
_OF_KEYS = "values of keys"
MOST_KEYS = 16
_MEMORY = {"llvm.memset": "memset", "llvm.memcpy": "memcpy", "llvm.memmove": "memmove"}
_ATOMIC_ORDERS = [op.RELAXED, op.ACQUIRE, op.ACQUIRE, op.RELEASE, op.BOTH, op.STRONG]


def is_known(name: str) -> bool:
    """Whether a variable of a library may be used."""
    return _KNOWN.fullmatch(name) is not None


def is_thread_number(name: str) -> bool:
    """Whether a name is one for the number of a thread."""
    return _THREAD_NUMBER.fullmatch(name) is not None


class Library:
    """Knows them; ``defined`` are those that the module has itself."""

    def __init__(self, defined: set[str]) -> None:
        self.defined = defined
        self.assumed: set[str] = set()  # taken to give the number of the thread
        self.varied: set[str] = set()  # tried with the results 0 and 1 only
        self.clocks: set[str] = set()  # tried with two times, in any order

    def call(self, to: Emitter, target: str, name: str, pieces: list[str]) -> bool:
        """Lower a call of one; False if it is none."""
        if name in self.defined:
            return False
        if name.startswith(_IGNORED):
            return True
        if name.startswith(("llvm.expect", "llvm.threadlocal.address")):
            to.move(to.register(target), to.typed(pieces[0])[1])
            return True
        for begin, same in _MEMORY.items():
            if name.startswith(begin):
                name = same
        if name in _PLAIN:
            code, counted = _PLAIN[name]
            kind = _LOCKS.get(name, op.MUTEX)
            self._emit(to, target, code, [pieces[i] for i in counted], kind)
            return True
        for begin, what in _BITS.items():
            if name.startswith(begin):
                width = int(name.removeprefix(begin))
                self._emit(to, target, op.COUNT_BITS, pieces[:1], what + 4 * width)
                return True
        return self._other(to, target, name, pieces)

    def _other(self, to: Emitter, target: str, name: str, pieces: list[str]) -> bool:
        if name in _NOTHING or _HOLLOW.match(name):
            self._emit(to, target, op.NOTHING, [])
        elif name in THROWING:
            number = to.module.constant(to.module.types.number(THROWING[name]))
            to.emit(op.LIBRARY, kind=op.RAISE, b=to.row([to.module.constant(0), number]), c=2)
        elif name.startswith(_SAME):
            if target:
                to.move(to.register(target), to.typed(pieces[0])[1])
        elif name in _WAITS or name == _STD_WAIT:
            self._wait(to, target, name, pieces)
        elif name == "__cxa_guard_acquire":
            self._guard(to, target, to.typed(pieces[0])[1])
        elif name == "__cxa_guard_release":
            guard = to.typed(pieces[0])[1]
            to.emit(op.STORE, a=guard, b=to.module.constant(1), size=1)
            self._lock(to, op.UNLOCK, self._behind(to, guard))
        elif name == "sem_init":
            value = to.typed(pieces[2])[1]
            to.emit(op.STORE, a=to.typed(pieces[0])[1], b=value, size=4)
            self._emit(to, target, op.NOTHING, [])
        elif name in _RANDOM:
            self.varied.add(name)
            self._emit(to, target, op.CHOOSE, [])
        elif name in _CLEARED:
            address = to.typed(pieces[0])[1]
            to.emit(op.STORE, a=address, b=to.module.constant(0), size=4)
            self._emit(to, target, op.NOTHING, [])
        elif name == "pthread_mutexattr_settype":
            to.emit(op.STORE, a=to.typed(pieces[0])[1], b=to.typed(pieces[1])[1], size=4)
            self._emit(to, target, op.NOTHING, [])
        elif name in ("pthread_mutex_init", "mtx_init"):
            self._mutex(to, name, *(to.typed(piece)[1] for piece in pieces))
            self._emit(to, target, op.NOTHING, [])
        elif name == "posix_memalign":
            made = to.fresh()
            to.emit(op.LIBRARY, kind=op.ALLOCATE, dst=made, b=to.row([to.typed(pieces[2])[1]]), c=1)
            to.emit(op.STORE, a=to.typed(pieces[0])[1], b=made, size=8)
            self._emit(to, target, op.NOTHING, [])
        elif name == "pthread_once":
            self._once(to, *(to.typed(piece)[1] for piece in pieces))
            self._emit(to, target, op.NOTHING, [])
        elif name in _KEYED:
            self._of_key(to, target, name, pieces)
        elif name == "syscall" and _constant(pieces[0]) in _SYSTEM_CALLS:
            code = _SYSTEM_CALLS[_constant(pieces[0])]
            self._emit(to, target, code, [])
        elif name == "__errno_location":
            to.move(to.register(target), self._own_word(to, "errno"))
        elif name.startswith("_ZSt11_Hash_bytes"):  # any function is one; so all collide
            to.move(to.register(target), to.typed(pieces[2])[1])
        elif name in _CLOCKS:
            self._clock(to, target, name, pieces)
        elif name.startswith("__atomic_") and self._atomic(to, target, name, pieces):
            return True
        elif is_thread_number(name) and not pieces:
            self.assumed.add(name)
            self._emit(to, target, op.THREAD, [])
        else:
            return False
        return True

    @staticmethod
    def _emit(to: Emitter, target: str, code: int, pieces: list[str], lock: int = op.MUTEX) -> None:
        row = to.row([to.typed(piece)[1] for piece in pieces])
        result = to.register(target) if target else -1
        gives = (op.ALLOCATE, op.ALLOCATE_CLEAR, op.REALLOCATE, op.THREAD, op.CHOOSE, op.COUNT_BITS)
        if code in gives and result < 0:
            result = to.fresh()
        to.emit(op.LIBRARY, kind=code, dst=result, b=row, c=len(pieces), size=lock)

    @staticmethod
    def _mutex(to: Emitter, name: str, mutex: int, how: int) -> None:
        """A new mutex; ``how``: the kind of one of C11, or the address of an attribute."""
        zero, kind, place = to.module.constant(0), to.fresh(), to.fresh()
        to.emit(op.STORE, a=mutex, b=zero, size=4)
        to.emit(op.INDEX, kind=1, dst=place, a=mutex, b=to.module.constant(_KIND), size=64)
        if name == "mtx_init":
            recursive = to.module.constant(1)  # a timed one may be it, too
            low = op.BINARY_KINDS.index("and")
            to.emit(op.BINARY, kind=low, dst=kind, a=how, b=recursive, size=32)
            to.emit(op.STORE, a=place, b=kind, size=4)
            return
        none = to.fresh()
        equal = op.PREDICATES.index("eq")
        to.emit(op.STORE, a=place, b=zero, size=4)
        to.emit(op.COMPARE, kind=equal, dst=none, a=how, b=zero, size=64)
        branch = to.emit(op.BRANCH, a=none)
        branch.c = len(to.body.code)
        to.emit(op.LOAD, dst=kind, a=how, size=4)
        to.emit(op.STORE, a=place, b=kind, size=4)
        branch.b = len(to.body.code)

    @staticmethod
    def _lock(to: Emitter, code: int, mutex: int) -> None:
        to.emit(op.LIBRARY, kind=code, dst=-1, b=to.row([mutex]), c=1)

    @staticmethod
    def _behind(to: Emitter, address: int) -> int:
        """The second word of a guard."""
        found = to.fresh()
        to.emit(op.INDEX, kind=4, dst=found, a=address, b=to.module.constant(1), size=64)
        return found

    def _wait(self, to: Emitter, target: str, name: str, pieces: list[str]) -> None:
        """A wait may end for no reason, so it only lets others in."""
        mutex = to.typed(pieces[1])[1]
        if name == _STD_WAIT:  # the first member of what holds the lock is the mutex
            held, mutex = mutex, to.fresh()
            to.emit(op.LOAD, dst=mutex, a=held, size=8)
        self._lock(to, op.UNLOCK, mutex)
        self._lock(to, op.LOCK, mutex)
        if target and _WAITS[name]:
            late, result = to.fresh(), to.register(target)
            to.emit(op.LIBRARY, kind=op.CHOOSE, dst=late)
            timed_out = to.module.constant(_TIMED_OUT)
            to.emit(op.SELECT, dst=result, a=late, b=timed_out, c=to.module.constant(0))
        elif target:
            to.move(to.register(target), to.module.constant(0))

    @staticmethod
    def _own_word(to: Emitter, name: str) -> int:
        """The address of a word that each thread has."""
        every = to.module.made_up(f"{name} of each thread", 8 * (op.THREADS + 1))
        return to.own(to.module.constant(op.address_of(every)), 8)

    def _once(self, to: Emitter, control: int, function: int) -> None:
        """Calls a function for who comes first; the others wait until it is done."""
        mutex = to.module.constant(op.address_of(to.module.made_up(_ONCE, 8)))
        self._lock(to, op.LOCK, mutex)
        none = self._is_none(to, control, 4)
        branch = to.emit(op.BRANCH, a=none)
        branch.b = len(to.body.code)
        to.emit(op.CALL_BY_ADDRESS, a=function, b=to.row([]), c=0, size=1)
        to.emit(op.STORE, a=control, b=to.module.constant(1), size=4)
        branch.c = len(to.body.code)
        self._lock(to, op.UNLOCK, mutex)

    @staticmethod
    def _is_none(to: Emitter, address: int, size: int) -> int:
        """Whether a word is 0 that only holders of a lock access."""
        done, none = to.fresh(), to.fresh()
        to.emit(op.LOAD, dst=done, a=address, size=size)
        zero = to.module.constant(0)
        equal = op.PREDICATES.index("eq")
        to.emit(op.COMPARE, kind=equal, dst=none, a=done, b=zero, size=8 * size)
        return none

    @staticmethod
    def _of_key(to: Emitter, target: str, name: str, pieces: list[str]) -> None:
        """What each thread keeps under a key."""
        first = to.typed(pieces[0])[1]
        if name == "pthread_key_create":
            keys = to.module.constant(op.address_of(to.module.made_up(_KEYS, 4)))
            key, one = to.fresh(), to.module.constant(1)
            to.emit(op.MODIFY, kind=op.MODIFY_KINDS.index("add"), dst=key, a=keys, b=one, size=4)
            to.emit(op.STORE, a=first, b=key, size=4)
        else:
            size = MOST_KEYS * 8
            values = op.address_of(to.module.made_up(_OF_KEYS, size * (op.THREADS + 1)))
            place = to.fresh()
            own = to.own(to.module.constant(values), size)
            to.emit(op.INDEX, kind=8, dst=place, a=own, b=first, size=32)
            if name == "pthread_getspecific":
                found = to.register(target) if target else to.fresh()
                to.emit(op.LOAD, dst=found, a=place, size=8)
                return
            to.emit(op.STORE, a=place, b=to.typed(pieces[1])[1], size=8)
        if target:
            to.move(to.register(target), to.module.constant(0))

    def _clock(self, to: Emitter, target: str, name: str, pieces: list[str]) -> None:
        """The beginning, or late, and both in any order."""
        self.clocks.add(name)
        late, now = to.fresh(), to.fresh()
        to.emit(op.LIBRARY, kind=op.CHOOSE, dst=late)
        zero, end = to.module.constant(0), to.module.constant(_LATE)
        to.emit(op.SELECT, dst=now, a=late, b=end, c=zero)
        at = _CLOCKS[name]
        if at >= 0:
            place, rest = to.typed(pieces[at])[1], to.fresh()
            to.emit(op.INDEX, kind=8, dst=rest, a=place, b=to.module.constant(1), size=64)
            to.emit(op.STORE, a=place, b=now, size=8)
            to.emit(op.STORE, a=rest, b=zero, size=8)
        if target:
            to.move(to.register(target), zero if at >= 0 else now)

    def _guard(self, to: Emitter, target: str, guard: int) -> None:
        """Whether this thread has to initialise a variable; the others wait until it has."""
        mutex = self._behind(to, guard)
        self._lock(to, op.LOCK, mutex)
        none = self._is_none(to, guard, 1)
        branch = to.emit(op.BRANCH, a=none)
        branch.c = len(to.body.code)
        self._lock(to, op.UNLOCK, mutex)
        branch.b = len(to.body.code)
        to.move(to.register(target), none)

    @staticmethod
    def _atomic(to: Emitter, target: str, name: str, pieces: list[str]) -> bool:
        """Atomic accesses of objects that are too large for one instruction."""
        known = [_constant(piece) for piece in pieces]
        what = name.removeprefix("__atomic_")
        if what not in ("load", "store", "exchange", "compare_exchange") or known[0] not in (
            1, 2, 4, 8, 16,
        ):  # fmt: skip
            return False
        size = known[0]
        addresses = [to.typed(piece)[1] for piece in pieces]
        order = _ATOMIC_ORDERS[known[4 if what == "compare_exchange" else -1] or 0]
        first = to.fresh(4)
        if what == "load":
            to.emit(op.LOAD, dst=first, a=addresses[1], size=size, order=order)
            to.emit(op.STORE, a=addresses[2], b=first, size=size)
        elif what == "store":
            to.emit(op.LOAD, dst=first, a=addresses[2], size=size)
            to.emit(op.STORE, a=addresses[1], b=first, size=size, order=order)
        elif what == "exchange":
            to.emit(op.LOAD, dst=first, a=addresses[2], size=size)
            to.emit(op.MODIFY, dst=first + 1, a=addresses[1], b=first, size=size, order=order)
            to.emit(op.STORE, a=addresses[3], b=first + 1, size=size)
        else:
            to.emit(op.LOAD, dst=first, a=addresses[2], size=size)
            to.emit(op.LOAD, dst=first + 1, a=addresses[3], size=size)
            failing = _ATOMIC_ORDERS[known[5] or 0]
            to.emit(
                op.EXCHANGE, kind=failing << 8, dst=first + 2, a=addresses[1], b=first,
                c=first + 1, size=size, order=order,
            )  # fmt: skip
            to.emit(op.STORE, a=addresses[2], b=first + 2, size=size)
            if target:
                to.move(to.register(target), first + 3)
        return True


def _constant(piece: str) -> int | None:
    last = piece.rsplit(" ", 1)[-1]
    return int(last) if last.isdigit() else None
