/* The accessor creates the logger again because it tests the wrong variable. */
#include <stdio.h>
#include <stdlib.h>

struct log {
    int lines;
};
static struct log *logger;
static int ready;

static struct log *get_log(void) {
    if (!ready) {
        logger = calloc(1, sizeof *logger);
        if (!logger)
            abort();
#ifdef LEAK
        ready = logger->lines > 0;
#else
        ready = 1;
#endif
    }
    return logger;
}

int main(void) {
    get_log();
    get_log()->lines++;
    printf("%d\n", get_log()->lines >= 0);
    free(logger);
    logger = NULL;
    return 0;
}
