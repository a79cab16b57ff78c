/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that copy and fill, each on a block of its own, and their results. */
#define _GNU_SOURCE
#include "truth.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#define BLOCK(name) unsigned char *name = calloc(1, 400)
#define SHOW(name, result) (truth_bytes("block", name, 400), printf(#name " %ld\n", (long)(result)))

int main(void) {
    static char text[300];
    volatile size_t n = 13;
    memset(text, 'a', 299);
    strcpy(text + 20, "tail");
    BLOCK(a); void *r = memcpy(a + 1, text, n); SHOW(a, (unsigned char *)r - a);
    BLOCK(b); r = mempcpy(b, text, n + 300 - 13); SHOW(b, (unsigned char *)r - b);
    BLOCK(c); memcpy(c, text, 24); memmove(c + 3, c, n + 10); memmove(c, c + 5, 40); SHOW(c, 0);
    BLOCK(d); r = memset(d + 7, 0x5a, n * 20); SHOW(d, (unsigned char *)r - d);
    BLOCK(e); r = strcpy((char *)e, text); SHOW(e, (unsigned char *)r - e);
    BLOCK(f); r = stpcpy((char *)f, text); SHOW(f, (unsigned char *)r - f);
    BLOCK(g); memset(g, 1, 60); r = strncpy((char *)g, text + 18, n + 7); SHOW(g, (unsigned char *)r - g);
    BLOCK(h); r = stpncpy((char *)h, text, n); SHOW(h, (unsigned char *)r - h);
    BLOCK(i); strcpy((char *)i, "x"); r = strcat((char *)i, text); SHOW(i, (unsigned char *)r - i);
    BLOCK(j); strcpy((char *)j, "xy"); memset(j + 3, 9, 40); r = strncat((char *)j, text, n); SHOW(j, (unsigned char *)r - j);
    BLOCK(k); r = memccpy(k, text, 't', 200); SHOW(k, (unsigned char *)r - k);
    BLOCK(l); r = memccpy(l, text, 'z', n); SHOW(l, (long)r);
    BLOCK(m); bcopy(text, m, n); memset(m, 3, n); bzero(m + 2, 5); explicit_bzero(m + 8, 2); SHOW(m, 0);
    BLOCK(o); wmemset((wchar_t *)o, 0x10203, n); wcscpy((wchar_t *)o, L"wide"); wcscat((wchar_t *)o, L"r"); SHOW(o, 0);
    BLOCK(q); wmemcpy((wchar_t *)q, L"abcdef", 5); wcsncpy((wchar_t *)(q + 40), L"ab", 6); SHOW(q, 0);
    BLOCK(s); r = __builtin___memcpy_chk(s, text, n, 400); r = __builtin___strcpy_chk((char *)s + 50, text, 350); SHOW(s, (unsigned char *)r - s);
    BLOCK(t);
    {
        unsigned char *to = t;
        const char *from = text;
        size_t count = 50;
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count)::"memory");
        printf("rep %ld %ld %zu\n", to - t, from - text, count);
        count = 20;
        __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(0x0102030405060708) : "memory");
        printf("rep %ld %zu\n", to - t, count);
        to = t + 300;
        from = (char *)t + 298;
        count = 60; /* downwards, overlapping */
        __asm__ volatile("std; rep movsw; cld" : "+D"(to), "+S"(from), "+c"(count)::"memory");
        printf("rep %ld %ld %zu\n", to - t, from - (char *)t, count);
        to = t + 350;
        count = 0;
        __asm__ volatile("rep stosl" : "+D"(to), "+c"(count) : "a"(5) : "memory");
        printf("rep %ld %zu\n", to - t, count);
    }
    SHOW(t, 0);
    size_t big = 1 << 18;
    char *huge = malloc(big), *copy = malloc(big);
    for (size_t x = 0; x < big; x += 8)
        *(long *)(huge + x) = x * 7;
    memcpy(copy, huge, big);
    copy = realloc(copy, 2 * big);
    truth_bytes("block", copy + big - 64, 64);
    return 0;
}
