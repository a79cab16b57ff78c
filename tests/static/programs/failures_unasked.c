/* That an allocation failed is a guess where nobody asks whether it did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command { struct command *next, *below; const char *name; };

static struct command *command_new(struct command *root, const char *name) {
    struct command *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->name = name;
    if (root) {
        made->next = root->below;
        root->below = made;
    }
    return made;
}

void registered(struct command *root) {
    struct command *show = command_new(root, "show");
    command_new(show, "all");   /* LEAK, doubted */
    command_new(command_new(show, "one"), "name");   /* LEAK, doubted */
}

struct pair { char *one, *other; };

static void keep(struct pair *pair, char *one, char *other) {
    if (!one)
        return;
    pair->one = one;
    pair->other = other;
}

void kept(struct pair *pair) {
    char *one = malloc(8), *other = malloc(8);
    keep(pair, one, other);   /* the second is lost if the first could not be had */
}

#include <unistd.h>

int read_unasked(int descriptor) {
    char *text = NULL;
    long length = 0, got;
    for (;;) {
        text = realloc(text, length + 64); /* LEAK, doubted */
        got = read(descriptor, text + length, 64);
        if (got <= 0)
            break;
        length += got;
    }
    free(text);
    return length;
}

struct text { char *data; size_t length, room; };

static void append(struct text *text, const char *more, size_t length) {
    while (text->length + length >= text->room) {
        text->room = text->room ? 2 * text->room : 64;
        text->data = realloc(text->data, text->room); /* LEAK, doubted */
    }
    memcpy(&text->data[text->length], more, length);
    text->length += length;
}

void appended_twice(void) {
    struct text text = {NULL, 0, 0};
    append(&text, "one", 3);
    append(&text, "two", 3);
    free(text.data);
}

int leak_appended(struct text *text, const char *more, size_t length) {
    while (text->length + length >= text->room) {
        text->room = text->room ? 2 * text->room : 64;
        text->data = realloc(text->data, text->room); /* LEAK */
        if (!text->data)
            return -1;
    }
    memcpy(&text->data[text->length], more, length);
    return 0;
}

int leak_asked(struct command *root) {
    struct command *show = command_new(root, "show");
    struct command *other;
    if (!show)
        return -1;
    other = command_new(NULL, "other");
    if (!other)
        return -1;
    return command_new(show, "all") != NULL; /* LEAK */
}

int leak_read_asked(int descriptor) {
    char *text = NULL;
    long length = 0, got;
    for (;;) {
        text = realloc(text, length + 64); /* LEAK */
        if (!text)
            return -1;
        got = read(descriptor, text + length, 64);
        if (got <= 0)
            break;
        length += got;
    }
    free(text);
    return length;
}
