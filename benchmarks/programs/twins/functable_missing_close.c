/* The table of one driver has a close operation that does not release its state. */
#include <stdio.h>
#include <stdlib.h>

struct driver {
    void *(*open)(void);
    int (*read)(void *);
    void (*close)(void *);
};

static void *counter_open(void) {
    return calloc(1, sizeof(int));
}
static int counter_read(void *s) {
    return s ? ++*(int *)s : 0;
}
static void counter_close(void *s) {
    free(s);
}

static int zero;
static void *zero_open(void) {
    return &zero;
}
static int zero_read(void *s) {
    return *(int *)s;
}
static void zero_close(void *s) {
    (void)s;
}

static const struct driver drivers[] = {
    {zero_open, zero_read, zero_close},
#ifdef LEAK
    {counter_open, counter_read, zero_close},
    {counter_open, counter_read, counter_close},
#else
    {counter_open, counter_read, counter_close},
    {counter_open, counter_read, counter_close},
#endif
};

int main(void) {
    int sum = 0;
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        void *state = drivers[i].open();
        sum += drivers[i].read(state) + drivers[i].read(state);
        drivers[i].close(state);
    }
    printf("%d\n", sum);
    return 0;
}
