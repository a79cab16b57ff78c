/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic operations on objects that are not _Atomic, which gcc takes and clang does not. Each
   pointer is made one to an atomic object: of the type that its object has as a value. */
#ifndef HEAPSTORY_LOOSE_ATOMICS_H
#define HEAPSTORY_LOOSE_ATOMICS_H

#include <stdatomic.h>

#define heapstory_loose(p) ((volatile _Atomic(__typeof__(((void)0, *(p)))) *)(p))

#undef atomic_init
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_load
#undef atomic_load_explicit
#undef atomic_exchange
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak
#undef atomic_compare_exchange_weak_explicit
#undef atomic_fetch_add
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or
#undef atomic_fetch_or_explicit
#undef atomic_fetch_xor
#undef atomic_fetch_xor_explicit
#undef atomic_fetch_and
#undef atomic_fetch_and_explicit

#define atomic_init(p, v) __c11_atomic_init(heapstory_loose(p), v)
#define atomic_store_explicit(p, v, o) __c11_atomic_store(heapstory_loose(p), v, o)
#define atomic_load_explicit(p, o) __c11_atomic_load(heapstory_loose(p), o)
#define atomic_exchange_explicit(p, v, o) __c11_atomic_exchange(heapstory_loose(p), v, o)
#define atomic_compare_exchange_strong_explicit(p, e, v, o, f)                                     \
    __c11_atomic_compare_exchange_strong(heapstory_loose(p), e, v, o, f)
#define atomic_compare_exchange_weak_explicit(p, e, v, o, f)                                       \
    __c11_atomic_compare_exchange_weak(heapstory_loose(p), e, v, o, f)
#define atomic_fetch_add_explicit(p, v, o) __c11_atomic_fetch_add(heapstory_loose(p), v, o)
#define atomic_fetch_sub_explicit(p, v, o) __c11_atomic_fetch_sub(heapstory_loose(p), v, o)
#define atomic_fetch_or_explicit(p, v, o) __c11_atomic_fetch_or(heapstory_loose(p), v, o)
#define atomic_fetch_xor_explicit(p, v, o) __c11_atomic_fetch_xor(heapstory_loose(p), v, o)
#define atomic_fetch_and_explicit(p, v, o) __c11_atomic_fetch_and(heapstory_loose(p), v, o)

#define atomic_store(p, v) atomic_store_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_load(p) atomic_load_explicit(p, __ATOMIC_SEQ_CST)
#define atomic_exchange(p, v) atomic_exchange_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_strong(p, e, v)                                                    \
    atomic_compare_exchange_strong_explicit(p, e, v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_weak(p, e, v)                                                      \
    atomic_compare_exchange_weak_explicit(p, e, v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_sub(p, v) atomic_fetch_sub_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_or(p, v) atomic_fetch_or_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_xor(p, v) atomic_fetch_xor_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_and(p, v) atomic_fetch_and_explicit(p, v, __ATOMIC_SEQ_CST)

#endif
