/* A request that cannot be met makes realloc fail, and its null replaces the block. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *extend(char *text, size_t extra) {
    size_t have = strlen(text) + 1;
    if (extra > SIZE_MAX / 2 - have) {
#ifndef LEAK
        free(text);
#endif
        return NULL;
    }
    char *longer = realloc(text, have + extra);
    if (!longer)
        free(text);
    return longer;
}

int main(void) {
    char *text = strdup("start");
    if (text)
        text = extend(text, 32);
    if (text)
        text = extend(text, SIZE_MAX - 4);
    printf("%d\n", text == NULL);
    free(text);
    return 0;
}
