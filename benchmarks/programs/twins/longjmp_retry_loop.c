/* Each retry after a jump builds the request anew over the one that failed. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf again;
static char *request;
static int tries;

static void transmit(const char *r) {
    if (r && ++tries < 3)
        longjmp(again, tries);
}

int main(void) {
    int attempt = setjmp(again);
#ifndef LEAK
    free(request);
#endif
    request = malloc(32);
    if (!request)
        return 0;
    snprintf(request, 32, "attempt %d", attempt);
    transmit(request);
    puts(request);
    free(request);
    request = NULL;
    return 0;
}
