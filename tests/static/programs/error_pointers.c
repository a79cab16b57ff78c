/* Errors that travel in pointers: the last 4095 addresses are error numbers, never memory. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ERRNO 4095

static inline void *ERR_PTR(long error) { return (void *)error; }
static inline long PTR_ERR(const void *p) { return (long)p; }
static inline int IS_ERR(const void *p) {
    return (unsigned long)p >= (unsigned long)-MAX_ERRNO;
}
static inline int IS_ERR_OR_NULL(const void *p) { return !p || IS_ERR(p); }

struct table {
    char *names;
    int size;
};

static struct table *table_new(int size) {
    struct table *t;
    if (size < 0)
        return ERR_PTR(-EINVAL);
    t = calloc(1, sizeof *t);
    if (!t)
        return ERR_PTR(-ENOMEM);
    t->names = malloc(size);
    if (!t->names) {
        free(t);
        return ERR_PTR(-ENOMEM);
    }
    t->size = size;
    return t;
}

static void table_free(struct table *t) {
    if (IS_ERR_OR_NULL(t))
        return;
    free(t->names);
    free(t);
}

int asked(int size) {
    struct table *t = table_new(size);
    int n;
    if (IS_ERR(t))
        return PTR_ERR(t);
    n = t->size;
    table_free(t);
    return n;
}

int asked_or_null(int size) {
    struct table *t = table_new(size);
    if (IS_ERR_OR_NULL(t))
        return -1;
    table_free(t);
    return 0;
}

/* The destructor asks. */
int released_in_any_case(int size) {
    struct table *t = table_new(size);
    int error = IS_ERR(t) ? PTR_ERR(t) : 0;
    table_free(t);
    return error;
}

/* A pointer made by malloc itself. */
int compared_as_a_number(int size) {
    char *text = malloc(size);
    if ((uintptr_t)text > (uintptr_t)-1000)
        return -1;
    if ((intptr_t)text < 0)
        return -2;
    free(text);
    return 0;
}

int leak_after_the_question(int size) {
    struct table *t = table_new(size);
    if (IS_ERR(t))
        return PTR_ERR(t);
    if (t->size > 100)
        return -1; /* LEAK */
    table_free(t);
    return 0;
}

int leak_of_another(int size) {
    char *copy = malloc(16);
    struct table *t;
    if (!copy)
        return -ENOMEM;
    t = table_new(size);
    if (IS_ERR(t))
        return PTR_ERR(t); /* LEAK */
    table_free(t);
    free(copy);
    return 0;
}

/* Whoever frees what is perhaps an error does nothing to it; the next line is reached. */
int leak_after_an_error_is_freed(int size) {
    char *copy = malloc(16);
    struct table *t = ERR_PTR(-EINVAL);
    if (!copy)
        return -ENOMEM;
    if (size > 3)
        t = table_new(size);
    table_free(t);
    if (size == 77)
        return 1; /* LEAK */
    free(copy);
    return 0;
}
