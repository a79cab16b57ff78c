/* A variable that only its initialiser writes is a constant, without a main as well. */
#include <getopt.h>
#include <stdlib.h>

struct calls {
    void *(*get)(size_t);
    void (*put)(void *);
};

int five = 5;
static int zero;
static void *(*get)(size_t) = malloc;
void (*put)(void *) = free;
static struct calls calls = {malloc, free};
static int limits[2] = {3, 7};

static volatile int outside;        /* read from hardware, a debugger */
static int counted;                 /* written below */
static int option;                  /* its address is in a table */
static int handed;                  /* its address is handed on */
__attribute__((weak)) int replaced; /* another definition may take its place */
static void *(*chosen)(size_t) = malloc;

const struct option options[] = {{"option", no_argument, &option, 1}, {0, 0, 0, 0}};

void ok_flag(void) {
    char *p = malloc(8);
    if (five == 5)
        free(p);
}

int ok_never(void) {
    char *p = malloc(8);
    if (zero)
        return 1;
    free(p);
    return 0;
}

int ok_element(void) {
    char *p = malloc(8);
    if (limits[1] < 7)
        return 1;
    free(p);
    return 0;
}

void leak_allocator(void) {
    char *p = get(8);
    if (p)
        p[0] = 1;
} /* LEAK */

void leak_member(void) {
    char *p = calls.get(8);
    if (p)
        p[0] = 1;
} /* LEAK */

void ok_member(void) {
    struct calls copy = calls;
    char *p = copy.get(8);
    if (p)
        p[0] = 1;
    put(p);
    calls.put(calls.get(4));
}

int leak_volatile(void) {
    char *p = malloc(8);
    if (outside)
        return 1; /* LEAK */
    free(p);
    return 0;
}

void count(void) {
    counted++;
}

int leak_counted(void) {
    char *p = malloc(8);
    if (counted)
        return 1; /* LEAK */
    free(p);
    return 0;
}

int leak_option(void) {
    char *p = malloc(8);
    if (option)
        return 1; /* LEAK */
    free(p);
    return 0;
}

int *hand(void) {
    return &handed;
}

int leak_handed(void) {
    char *p = malloc(8);
    if (handed)
        return 1; /* LEAK */
    free(p);
    return 0;
}

int leak_replaced(void) {
    char *p = malloc(8);
    if (replaced)
        return 1; /* LEAK */
    free(p);
    return 0;
}

void choose(void *(*with)(size_t)) {
    chosen = with;
}

void leak_chosen(void) {
    char *p = chosen(8); /* of malloc, unless the user chooses something like it */
    if (p)
        p[0] = 1;
} /* LEAK */
