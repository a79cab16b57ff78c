#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *xmalloc(size_t n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}
void release(void *p) { free(p); }
void good_wrapper(void) { release(xmalloc(3)); }
void leak_wrapper(void) {
    char *p = xmalloc(3);
    p[0] = 0;
} /* LEAK */
static int make(char **out) {
    char *p = malloc(4);
    if (!p)
        return -1;
    *out = p;
    return 0;
}
int good_out(void) {
    char *q;
    if (make(&q) < 0)
        return 1;
    free(q);
    return 0;
}
int leak_out(void) {
    char *q;
    if (make(&q) < 0)
        return 1;
    return q[0]; /* LEAK */
}
static void say(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
}
void good_variadic(void) {
    char *p = strdup("x");
    say("%s", p);
    free(p);
}
void leak_variadic(void) {
    char *p = strdup("x");
    say("%s", p);
} /* LEAK */
static void unfree(char **p) { free(*p); }
int good_cleanup(void) {
    __attribute__((cleanup(unfree))) char *p = strdup("x");
    if (!p)
        return 1;
    return p[0];
}
struct methods {
    void (*done)(void *);
};
static const struct methods heap_methods = {release};
void good_table(void) {
    char *p = malloc(3);
    heap_methods.done(p);
}
static void ignore(void *p) { (void)p; }
static const struct methods no_methods = {ignore};
void leak_table(void) {
    char *p = malloc(3);
    no_methods.done(p);
} /* LEAK */
void leak_realloc(void) {
    char *p = malloc(3);
    p = realloc(p, 10); /* LEAK */
    free(p);
}
void good_realloc(void) {
    char *p = malloc(3), *q = realloc(p, 10);
    if (!q) {
        free(p);
        return;
    }
    free(q);
}
int good_asprintf(void) {
    char *s;
    if (asprintf(&s, "%d", 3) < 0)
        return -1;
    free(s);
    return 0;
}
int leak_asprintf(void) {
    char *s;
    if (asprintf(&s, "%d", 3) < 0)
        return -1;
    return s[0]; /* LEAK */
}
void good_getline(FILE *f) {
    char *line = NULL;
    size_t n = 0;
    while (getline(&line, &n, f) > 0)
        puts(line);
    free(line);
}
void leak_getline(FILE *f) {
    char *line = NULL;
    size_t n = 0;
    while (getline(&line, &n, f) > 0)
        puts(line);
} /* LEAK */
extern void keep_it(void *);
void good_unknown(void) {
    char *p = malloc(3);
    keep_it(p);
}
static char *cache;
void good_global(void) {
    if (!cache)
        cache = malloc(3);
}
