/* What the twins share. Each program takes no input and ends by itself; with -DLEAK it leaks. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int yes = 1, no = 0;

int scenario(int round);

int main(void)
{
    int sum = 0;
    /* Several rounds, so that no stale stack slot holds the block when LeakSanitizer looks. */
    for (int round = 0; round < 6; round++)
        sum += scenario(round);
    return sum == 12345 + yes + no;
}
