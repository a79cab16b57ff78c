/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A checking function whose check fails ends the program as the C library does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words) {
    char *block = calloc(1, 32);
    volatile size_t n = 12;
    printf("block %p\n", block);
    fflush(stdout);
    if (!strcmp(words[1], "memcpy"))
        __builtin___memcpy_chk(block, "far too long for it", n, 8);
    if (!strcmp(words[1], "strcpy"))
        __builtin___strcpy_chk(block, words[0], 3);
    if (!strcmp(words[1], "strcat"))
        __builtin___strcat_chk(block, words[0], 3);
    if (!strcmp(words[1], "memset"))
        __builtin___memset_chk(block, 1, n, 8);
    return 0;
}
