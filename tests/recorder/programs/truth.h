/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs print what is so; the test compares it with what was recorded. */
#include <stdio.h>

static inline void truth_bytes(const char *name, const void *start, unsigned long n) {
    printf("%s %p ", name, (void *)start);
    for (unsigned long i = 0; i < n; i++)
        printf("%02x", ((const unsigned char *)start)[i]);
    printf("\n");
}
