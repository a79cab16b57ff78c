/* What library functions put into an object, or leave behind when it is closed. */
#include <obstack.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t good_memory_stream(int n) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return 0;
    fprintf(out, "%d", n);
    fclose(out);
    free(text);
    return size;
}

size_t leak_memory_stream(int n) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return 0;
    fprintf(out, "%d", n);
    fclose(out);
    return size; /* LEAK */
}

static void forget(regex_t *expression) {
    regfree(expression);
}

int good_expression(const char *pattern, const char *text) {
    regex_t expression;
    int found;
    if (regcomp(&expression, pattern, REG_NOSUB))
        return -1;
    found = regexec(&expression, text, 0, NULL, 0) == 0;
    forget(&expression);
    return found;
}

int leak_expression(const char *pattern, const char *text) {
    regex_t expression;
    if (regcomp(&expression, pattern, REG_NOSUB))
        return -1;
    if (regexec(&expression, text, 0, NULL, 0) != 0)
        return 0; /* LEAK */
    regfree(&expression);
    return 1;
}

static void *checked(size_t size) {
    void *p = malloc(size);
    if (!p)
        abort();
    return p;
}

#define obstack_chunk_alloc checked
#define obstack_chunk_free free

/* An obstack's own code, in part: the program has it, as many GNU programs do. */
int _obstack_begin(struct obstack *h, int size, int alignment, void *(*get)(long),
                   void (*release)(void *)) {
    h->chunk = get(4096);
    h->chunk->prev = NULL;
    h->object_base = h->next_free = h->chunk->contents;
    h->freefun = (void *)release;
    return 1;
}

int good_obstack(const char *text) {
    struct obstack stack;
    char *all;
    obstack_init(&stack);
    obstack_grow(&stack, text, 4);
    obstack_1grow(&stack, 0);
    all = obstack_finish(&stack);
    puts(all);
    obstack_free(&stack, NULL);
    return 0;
}

int good_resolved_path(const char *path, long most) {
    char *buffer = NULL;
    if (most > 0) {
        buffer = malloc(most);
        if (!buffer)
            return -1;
    }
    char *found = realpath(path, buffer);
    if (!found) {
        free(buffer);
        return -1;
    }
    puts(found);
    free(found);
    return 0;
}

int leak_resolved_path(const char *path) {
    char *buffer = malloc(4096);
    if (!buffer)
        return -1;
    if (!realpath(path, buffer))
        return -1; /* LEAK */
    free(buffer);
    return 0;
}
