"""Functions of the C library, of threads and of the compiler, as the native machine has them."""

from __future__ import annotations

import re

from heapstory.linear.ir import instructions as op
from heapstory.linear.ir.emitter import Emitter

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
    "memset": (op.FILL, (0, 1, 2)),
    "memcpy": (op.COPY, (0, 1, 2)),
    "memmove": (op.COPY, (0, 1, 2)),
    "pthread_mutex_lock": (op.LOCK, (0,)),
    "pthread_mutex_trylock": (op.TRY_LOCK, (0,)),
    "pthread_mutex_unlock": (op.UNLOCK, (0,)),
    "pthread_spin_lock": (op.LOCK, (0,)),
    "pthread_spin_trylock": (op.TRY_LOCK, (0,)),
    "pthread_spin_unlock": (op.UNLOCK, (0,)),
    "mtx_lock": (op.LOCK, (0,)),
    "mtx_unlock": (op.UNLOCK, (0,)),
    "pthread_self": (op.THREAD, ()),
    "__assert_fail": (op.FAILED, ()),
    "__VERIFIER_assert_fail": (op.FAILED, ()),
    "__VERIFIER_error": (op.FAILED, ()),
    "reach_error": (op.FAILED, ()),
    "__VERIFIER_assume": (op.ASSUME, (0,)),
    "abort": (op.FAILED, ()),
    "exit": (op.ENDED, ()),
    "_exit": (op.ENDED, ()),
    "_ZSt9terminatev": (op.ENDED, ()),
    "__cxa_pure_virtual": (op.ENDED, ()),
}
_CLEARED = {"pthread_mutex_init", "pthread_spin_init", "mtx_init"}
_NOTHING = {
    "pthread_mutex_destroy", "pthread_spin_destroy", "mtx_destroy", "sched_yield", "thrd_yield",
    "pthread_yield", "usleep", "sleep", "nanosleep", "printf", "puts", "putchar", "fprintf",
    "fflush", "perror", "fputs", "fwrite", "pthread_cond_init", "pthread_cond_signal",
    "pthread_cond_broadcast",
}  # fmt: skip
_IGNORED = (
    "llvm.dbg.", "llvm.lifetime.", "llvm.assume", "llvm.donothing", "llvm.va_end",
    "llvm.x86.sse2.pause", "llvm.prefetch", "llvm.experimental.noalias",
)  # fmt: skip
# A function that is not in the file and gives the number of the thread.
_THREAD_NUMBER = re.compile(r"(get_?)?(my_?)?(thread|tid)(_?(num|number|id|index|nr))?")
_MEMORY = {"llvm.memset": "memset", "llvm.memcpy": "memcpy", "llvm.memmove": "memmove"}
_ATOMIC_ORDERS = [op.RELAXED, op.ACQUIRE, op.ACQUIRE, op.RELEASE, op.BOTH, op.STRONG]


def is_thread_number(name: str) -> bool:
    """Whether a name is one for the number of a thread."""
    return _THREAD_NUMBER.fullmatch(name) is not None


class Library:
    """Knows them; ``defined`` are those that the module has itself."""

    def __init__(self, defined: set[str]) -> None:
        self.defined = defined
        self.assumed: set[str] = set()  # taken to give the number of the thread

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
            self._emit(to, target, code, [pieces[i] for i in counted])
            return True
        return self._other(to, target, name, pieces)

    def _other(self, to: Emitter, target: str, name: str, pieces: list[str]) -> bool:
        if name in _NOTHING:
            self._emit(to, target, op.NOTHING, [])
        elif name in _CLEARED:
            address = to.typed(pieces[0])[1]
            to.emit(op.STORE, a=address, b=to.module.constant(0), size=4)
            self._emit(to, target, op.NOTHING, [])
        elif name == "posix_memalign":
            made = to.fresh()
            to.emit(op.LIBRARY, kind=op.ALLOCATE, dst=made, b=to.row([to.typed(pieces[2])[1]]), c=1)
            to.emit(op.STORE, a=to.typed(pieces[0])[1], b=made, size=8)
            self._emit(to, target, op.NOTHING, [])
        elif name.startswith("__atomic_") and self._atomic(to, target, name, pieces):
            return True
        elif is_thread_number(name) and not pieces:
            self.assumed.add(name)
            self._emit(to, target, op.THREAD, [])
        else:
            return False
        return True

    @staticmethod
    def _emit(to: Emitter, target: str, code: int, pieces: list[str]) -> None:
        row = to.row([to.typed(piece)[1] for piece in pieces])
        result = to.register(target) if target else -1
        if code in (op.ALLOCATE, op.ALLOCATE_CLEAR, op.THREAD) and result < 0:
            result = to.fresh()
        to.emit(op.LIBRARY, kind=code, dst=result, b=row, c=len(pieces))

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
