/* A callee says through memory of its caller whether it made a block. */
#include <stdlib.h>

struct text {
    char *start;
    int ok;
};

static void make(char **out, int *ok) {
    *out = malloc(8);
    *ok = *out != NULL;
}

static void fill(struct text *text) {
    text->start = malloc(8);
    text->ok = text->start != NULL;
}

static int both(char **one, char **two, int *second) {
    *one = malloc(8);
    *two = malloc(8);
    *second = *two != NULL;
    return *one != NULL;
}

static int borrow(char **out, int *mine) {
    *mine = 0;
    *out = "borrowed";
    if (rand()) {
        *out = malloc(8);
        if (!*out)
            return -1;
        *mine = 1;
    }
    return 0;
}

int ok_make(void) {
    char *p;
    int ok;
    make(&p, &ok);
    if (!ok)
        return -1;
    free(p);
    return 0;
}

int leak_make(void) {
    char *p;
    int ok;
    make(&p, &ok);
    if (ok)
        return -1; /* LEAK */
    free(p);
    return 0;
}

int ok_fill(void) {
    struct text text;
    fill(&text);
    if (!text.ok)
        return -1;
    free(text.start);
    return 0;
}

int ok_both(void) {
    char *one, *two;
    int second;
    int first = both(&one, &two, &second);
    if (first)
        free(one);
    if (second)
        free(two);
    return 0;
}

int leak_both(void) {
    char *one, *two;
    int second;
    if (!both(&one, &two, &second))
        return -1; /* LEAK, doubted */
    free(one);
    if (second)
        free(two);
    return 0;
}

int ok_borrow(void) {
    char *p;
    int mine;
    if (borrow(&p, &mine))
        return -1;
    int r = p[0];
    if (mine)
        free(p);
    return r;
}

int leak_borrow(void) {
    char *p;
    int mine;
    if (borrow(&p, &mine))
        return -1;
    int r = p[0];
    if (mine && r)
        free(p);
    return r; /* LEAK */
}
