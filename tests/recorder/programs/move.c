/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves and string copies at random places and distances, compared with loops. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reference(unsigned char *to, const unsigned char *from, size_t n) {
    unsigned char copy[4000];
    for (size_t i = 0; i < n; i++)
        copy[i] = from[i];
    for (size_t i = 0; i < n; i++)
        to[i] = copy[i];
}

int main(void) {
    unsigned seed = 1;
    int bad = 0;
    unsigned char *a = malloc(3000), *b = malloc(3000);
    for (int round = 0; round < 2000; round++) {
        char x[100], y[300];
        seed = seed * 1103515245 + 12345;
        size_t n = (seed >> 8) % (round & 7 ? 70 : 1400), to = 20 + (seed >> 4) % 700;
        size_t from = round & 1 ? to + (seed >> 20) % 40 - 20 : (seed >> 14) % 700;
        size_t length = (seed >> 9) % 90;
        for (int i = 0; i < 3000; i++)
            a[i] = b[i] = i * 31 + round;
        memmove(a + to, a + from, n);
        reference(b + to, b + from, n);
        bad += memcmp(a, b, 3000) != 0;
        memset(x, 'q', length);
        x[length] = 0;
        strcpy(y + (seed & 7), x);
        bad += strlen(y + (seed & 7)) != length || strcmp(y + (seed & 7), x) != 0;
        bad += stpcpy(y, x) != y + length;
    }
    printf("bad %d\n", bad);
    return 0;
}
