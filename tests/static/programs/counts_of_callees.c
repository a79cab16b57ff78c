/* A callee hands out memory and its length: where the length is 0, there is no memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *bytes;
    size_t length, room;
};

static int add(struct text *text, const char *more, size_t length) {
    if (text->length + length >= text->room) {
        char *grown = realloc(text->bytes, text->room + length + 16);
        if (!grown) {
            free(text->bytes);
            memset(text, 0, sizeof *text);
            return 1;
        }
        text->bytes = grown;
        text->room += length + 16;
    }
    memcpy(text->bytes + text->length, more, length);
    text->length += length;
    return 0;
}

int joined(FILE *from) {
    struct text text = {0, 0, 0};
    char line[80];
    while (fgets(line, sizeof line, from))
        if (add(&text, line, strlen(line)))
            return 1;
    if (text.length == 0)
        return 2;
    puts(text.bytes);
    free(text.bytes);
    return 0;
}

int leak_joined(FILE *from) {
    struct text text = {0, 0, 0};
    char line[80];
    while (fgets(line, sizeof line, from))
        if (add(&text, line, strlen(line)))
            return 1;
    if (text.length > 100)
        return 2; /* LEAK */
    puts(text.bytes ? text.bytes : "");
    free(text.bytes);
    return 0;
}

static int whole(FILE *from, char **bytes, size_t *length) {
    struct text text = {0, 0, 0};
    char line[80];
    while (fgets(line, sizeof line, from))
        if (add(&text, line, strlen(line)))
            return 1;
    *bytes = text.bytes;
    *length = text.length;
    return 0;
}

int copied(FILE *from, FILE *to) {
    char *bytes = NULL;
    size_t length = 0;
    if (whole(from, &bytes, &length))
        return 1;
    if (!length)
        return 0;
    fwrite(bytes, 1, length, to);
    free(bytes);
    return 0;
}

int leak_copied(FILE *from, FILE *to) {
    char *bytes = NULL;
    size_t length = 0;
    if (whole(from, &bytes, &length))
        return 1;
    if (length)
        return 0; /* LEAK */
    fwrite(bytes, 1, length, to);
    free(bytes);
    return 0;
}
