/* What is kept beside a buffer in one block, and what happens to it, one form per argument;
 * with a number behind it a text of so many characters. */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void function(void);

struct far {
    char buffer[400];
    function *handler;
};

struct element {
    long key;
    function *handler;
};

static char text[512];

static void nothing(void) {
}

static void other(void) {
}

static void scan_list(const char *from, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsscanf(from, format, list);
    va_end(list);
}

static struct far *make_far(void) {
    struct far *both = malloc(sizeof *both);
    printf("buffer %p %zu\n", (void *)both, sizeof *both);
    both->buffer[0] = 0;
    both->handler = nothing;
    return both;
}

/* A copy over a function pointer that lies far from the start. */
static void far(void) {
    struct far *both = make_far();
    memcpy(both->buffer, text, sizeof both->buffer + 8);
}

/* The same by a text of so many characters. */
static void far_text(const char *form, int length) {
    struct far *both = make_far();
    memset(text, 'x', length);
    text[length] = 0;
    if (strcmp(form, "sscanf") == 0)
        sscanf(text, "%s", both->buffer);
    else if (strcmp(form, "vsscanf") == 0)
        scan_list(text, "%s", both->buffer);
    else if (strcmp(form, "sprintf") == 0)
        sprintf(both->buffer, "%s", text);
    else
        snprintf(both->buffer, sizeof *both, "%*d", length, 1);
}

/* Structures are assigned by copies. */
static void assign(void) {
    struct element *all = malloc(8 * sizeof *all), one = {1, other}, none = {2, NULL};
    printf("buffer %p %zu\n", (void *)all, 8 * sizeof *all);
    for (int i = 0; i < 8; i++) {
        all[i].key = i;
        all[i].handler = nothing;
    }
    memcpy(&all[3], &one, sizeof one);
    memcpy(&all[4], &none, sizeof none);
    memmove(&all[0], &all[1], 7 * sizeof *all);
}

/* Texts that were read, into the block behind. */
static void scan(const char *form) {
    char *buffer = malloc(24), *victim = malloc(24);
    int number;
    printf("buffer %p 24\nvictim %p 24\n", (void *)buffer, (void *)victim);
    buffer[0] = victim[0] = 0;
    text[60] = 0;
    if (strcmp(form, "sscanf") == 0)
        sscanf(text, "%s", buffer);
    else if (strcmp(form, "sscanf-set") == 0) {
        memcpy(text, "12 %]", 5);
        sscanf(text, "%d%*[ %]%[^\n]", &number, buffer);
    } else if (strcmp(form, "vsscanf") == 0)
        scan_list(text, "%59s", buffer);
    else {
        FILE *file = fmemopen(text, 60, "r");
        fscanf(file, "%s", buffer);
        fclose(file);
    }
}

/* Reallocated where it is, twice: what it holds is still its own. */
static void shrink(void) {
    long **block = malloc(800), **kept;
    for (int i = 0; i < 20; i++)
        block[i] = malloc(16);
    kept = realloc(block, 400);
    kept = realloc(kept, 160);
    printf("buffer %p 160\n", (void *)kept);
}

int main(int argc, char **argv) {
    memset(text, 'A', sizeof text - 1);
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc > 2)
        far_text(argv[1], atoi(argv[2]));
    else if (strcmp(argv[1], "far") == 0)
        far();
    else if (strcmp(argv[1], "assign") == 0)
        assign();
    else if (strcmp(argv[1], "shrink") == 0)
        shrink();
    else if (strcmp(argv[1], "setlocale") == 0)
        puts(setlocale(LC_ALL, "C.UTF-8"));
    else
        scan(argv[1]);
    return 0;
}
