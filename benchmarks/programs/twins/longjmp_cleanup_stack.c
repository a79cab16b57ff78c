/* The stack of things to release is unwound to one above the saved mark. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *pending[16];
static int depth;
static jmp_buf thrown;

static void *guarded(size_t n) {
    void *p = malloc(n);
    if (!p)
        longjmp(thrown, 1);
    return pending[depth++] = p;
}

static void unwind(int mark) {
#ifdef LEAK
    while (depth > mark + 1)
#else
    while (depth > mark)
#endif
        free(pending[--depth]);
    memset(pending + mark, 0, sizeof pending - (size_t)mark * sizeof *pending);
    depth = mark;
}

static void work(int levels) {
    for (int level = 0; level < levels; level++) {
        int *state = guarded(sizeof *state);
        *state = level;
        if (*state == 3)
            longjmp(thrown, 2);
    }
}

int main(void) {
    int mark = depth;
    if (setjmp(thrown) == 0)
        work(5);
    unwind(mark);
    printf("%d\n", depth);
    return 0;
}
