// Every kind of bad free once; the comments are what a trace says of it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int variable;

// Not seen by compilers, which warn.
static void *volatile any;

int main(int argc, char **argv) {
    char *block = malloc(40), *kept = malloc(24);
    int local = 0;
    free(NULL);
    free(block);
    any = block;
    free(any); // double-free
    any = kept + 8;
    free(any); // bad-free inside
    any = &variable;
    free(any); // bad-free variable
    any = &local;
    free(any); // bad-free stack
    any = (void *)(uintptr_t)0x123456789abcdef0;
    free(any); // bad-free nowhere
    any = block;
    any = realloc(any, 80); // double-free realloc
    printf("%d\n", any == NULL);
    free(kept);
    return 7;
}
