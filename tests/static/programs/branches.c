#include <stdlib.h>
#include <string.h>
int leak_early(int bad) {
    char *p = malloc(10);
    if (bad)
        return -1; /* LEAK */
    free(p);
    return 0;
}
int good_early(int bad) {
    char *p = malloc(10);
    if (bad) {
        free(p);
        return -1;
    }
    free(p);
    return 0;
}
int good_correlated(int own, char *lent) {
    char *p = lent;
    if (own)
        p = strdup(lent);
    if (own)
        free(p);
    return 0;
}
int leak_correlated(int own, char *lent) {
    char *p = lent;
    if (own)
        p = strdup(lent);
    if (!own)
        p = 0;
    return 0; /* LEAK */
}
int good_flags(int flags, char *lent) {
    char *p = lent;
    if (flags & 4)
        p = strdup(lent);
    lent[0] = 0;
    if (flags & 4)
        free(p);
    return flags;
}
int good_goto(const char *s) {
    int r = -1;
    char *a = NULL, *b = NULL;
    if (!(a = strdup(s)))
        goto out;
    if (!(b = strdup(s)))
        goto out;
    r = 0;
out:
    free(a);
    free(b);
    return r;
}
int leak_goto(const char *s) {
    int r = -1;
    char *a = NULL, *b = NULL;
    if (!(a = strdup(s)))
        goto out;
    if (!(b = strdup(s)))
        goto out;
    r = 0;
out:
    free(b);
    return r; /* LEAK */
}
int good_switch(int k) {
    char *p = malloc(3);
    switch (k) {
    case 1:
        free(p);
        return 1;
    case 2:
        free(p);
        return 2;
    default:
        break;
    }
    free(p);
    return 0;
}
int leak_switch(int k) {
    char *p = malloc(3);
    switch (k) {
    case 1:
        free(p);
        return 1;
    case 2:
        return 2; /* LEAK */
    }
    free(p);
    return 0;
}
int good_conditional(int k) {
    char stack[8];
    char *p = k > 8 ? malloc((size_t)k) : stack;
    if (!p)
        return -1;
    p[0] = 0;
    if (p != stack)
        free(p);
    return 0;
}
