/* In verbose mode the message is released, in quiet mode it is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report(int verbose, int code) {
    char *message = malloc(40);
    if (!message)
        return -1;
    snprintf(message, 40, "code %d", code);
    if (verbose) {
        puts(message);
        free(message);
        return code;
    }
    int length = (int)strlen(message);
#ifndef LEAK
    free(message);
#endif
    return length;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += report(i % 2, i);
    printf("%d\n", sum);
    return 0;
}
