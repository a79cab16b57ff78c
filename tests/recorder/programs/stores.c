/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores of every size and kind into a heap block and into globals. */
#include "truth.h"
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

static long initialised = 42;
static long zeroed[4];
int in_data[2] = {7, 8};

__attribute__((noinline)) static void scalars(unsigned char *p) {
    *(volatile char *)p = 0x11;
    *(volatile short *)(p + 2) = 0x2222;
    *(volatile int *)(p + 4) = 0x33333333;
    *(volatile long *)(p + 8) = 0x4444444444444444;
    *(volatile float *)(p + 16) = 1.5f;
    *(volatile double *)(p + 24) = 2.5;
    *(volatile long *)(p + 33) = 0x5555555555555555; /* unaligned */
}

__attribute__((noinline)) static void sse(unsigned char *p) {
    _mm_storeu_si128((__m128i *)(p + 48), _mm_set1_epi32(0x66666666));
}

__attribute__((noinline, target("avx"))) static void avx(unsigned char *p) {
    _mm256_storeu_si256((__m256i *)(p + 64), _mm256_set_epi64x(4, 3, 2, 1));
    _mm256_maskstore_ps((float *)(p + 96), _mm256_set_epi32(0, -1, 0, -1, 0, -1, 0, -1),
                        _mm256_set1_ps(9.0f));
}

__attribute__((noinline)) static void atomics(unsigned char *p) {
    long *word = (long *)(p + 128), expected = 1;
    __int128 *pair = (__int128 *)(p + 144);
    *word = 1;
    __atomic_compare_exchange_n(word, &expected, 77, 0, 5, 5); /* happens */
    expected = 1;
    __atomic_compare_exchange_n(word, &expected, 99, 0, 5, 5); /* does not */
    __atomic_fetch_add((int *)(p + 136), 5, 5);
    __atomic_exchange_n((short *)(p + 140), 0x1234, 5);
    *pair = 0;
    __asm__ volatile("lock cmpxchg16b %0"
                     : "+m"(*pair)
                     : "a"(0L), "d"(0L), "b"(0x1111L), "c"(0x2222L)
                     : "cc", "memory");
}

int main(void) {
    unsigned char *p = calloc(1, 1024);
    unsigned char *aligned = aligned_alloc(64, 1024);
    memset(aligned, 0, 1024);
    scalars(p);
    sse(p);
    if (__builtin_cpu_supports("avx"))
        avx(p);
    atomics(p);
    __asm__ volatile("fxsave %0" : "=m"(*(char(*)[512])aligned));
    initialised++;
    zeroed[2] = (long)p;
    in_data[1] = 9;
    truth_bytes("block", p, 1024);
    truth_bytes("block", aligned, 512);
    truth_bytes("global", &initialised, sizeof initialised);
    truth_bytes("global", zeroed, sizeof zeroed);
    truth_bytes("global", in_data, sizeof in_data);
    return 0;
}
