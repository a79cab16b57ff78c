/* Values that travel by value: a tag says whether the pointer beside it counts. */
#include <stdlib.h>
#include <string.h>

enum kind { NOTHING, NUMBER, TEXT, ERROR };

typedef struct {
    unsigned char flags; /* the kind, and 0x80 if the pointer is owned */
    unsigned char pad;
    unsigned short offset;
    int size;
    union {
        char *text;
        double number;
    } u;
} value;

#define KIND(v) ((v).flags & 0x0f)
#define OWNED 0x80

struct error {
    int count;
    value message;
};

value make_nothing(void) {
    value made = {NOTHING, 0, 0, 0, {0}};
    return made;
}

value make_number(double number) {
    value made;
    made.flags = NUMBER;
    made.u.number = number;
    return made;
}

value make_text(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        abort();
    value made = {TEXT | OWNED, 0, 0, 0, {copy}};
    return made;
}

/* Takes the message, unless it is nothing. */
value make_error(value message) {
    if (KIND(message) == NOTHING)
        return make_nothing();
    struct error *error = malloc(sizeof *error);
    if (!error)
        abort();
    error->count = 1;
    error->message = message;
    value made = {ERROR | OWNED, 0, 0, 0, {(char *)error}};
    return made;
}

void drop(value v) {
    if (v.flags == (TEXT | OWNED)) {
        free(v.u.text);
    } else if (KIND(v) == ERROR) {
        struct error *error = (struct error *)v.u.text;
        drop(error->message);
        free(error);
    }
}

int text_length(value v) {
    int length = KIND(v) == TEXT ? (int)strlen(v.u.text) : 0;
    drop(v);
    return length;
}

value checked(int n) {
    if (n < 0)
        return make_error(make_text("negative"));
    if (n == 0)
        return make_error(make_nothing());
    return make_number(n);
}

value picked(int n) {
    value found;
    if (n)
        found = make_text("some");
    else
        found = make_nothing();
    return found;
}

int used(int n) {
    value v = picked(n);
    if (KIND(v) == NOTHING)
        return 0;
    int length = (int)strlen(v.u.text);
    drop(v);
    return length;
}

int leak_used(int n) {
    value v = picked(n);
    if (KIND(v) != NOTHING)
        return (int)strlen(v.u.text); /* LEAK */
    drop(v);
    return 0;
}

int leak_text(const char *name) {
    value v = make_text(name);
    if (v.u.text[0] == '/')
        return -1; /* LEAK */
    return text_length(v);
}

/* The tag behind the pointer, and read as a whole. */
struct view {
    char *bytes;
    int owned;
};

struct view view_of(char *bytes) {
    struct view made = {bytes, 0};
    return made;
}

struct view copy_of(const char *bytes) {
    struct view made = {strdup(bytes), 1};
    return made;
}

void close_view(struct view v) {
    if (v.owned)
        free(v.bytes);
}

int view_length(char *bytes, int copy) {
    struct view v = copy ? copy_of(bytes) : view_of(bytes);
    int length = v.bytes ? (int)strlen(v.bytes) : 0;
    close_view(v);
    return length;
}

int keeps_borrowed(char *bytes) {
    struct view v = view_of(strdup(bytes));
    int length = v.bytes ? (int)strlen(v.bytes) : 0;
    free(v.bytes);
    return length;
}

int leak_borrowed(char *bytes) {
    struct view v = view_of(strdup(bytes));
    int length = v.bytes ? (int)strlen(v.bytes) : 0;
    close_view(v);
    return length; /* LEAK */
}

/* Two pointers in registers. */
struct pair {
    char *first, *second;
};

struct pair make_pair(const char *text) {
    struct pair made = {strdup(text), strdup(text)};
    return made;
}

void use_pair(const char *text) {
    struct pair p = make_pair(text);
    free(p.second);
    free(p.first);
}

void leak_pair(const char *text) {
    struct pair p = make_pair(text);
    free(p.first);
} /* LEAK */

/* A union whose first member is a number: the pointer travels as one. */
struct variant {
    int kind;
    union {
        long number;
        char *text;
    } u;
};

struct variant text_variant(const char *text) {
    struct variant made;
    made.kind = TEXT;
    made.u.text = strdup(text);
    return made;
}

void drop_variant(struct variant v) {
    if (v.kind == TEXT)
        free(v.u.text);
}

void use_variant(const char *text) {
    struct variant v = text_variant(text);
    drop_variant(v);
}

/* The tag of a value that a loop replaces. */
value joined(int times) {
    value all = make_nothing();
    for (int i = 0; i < times; i++) {
        if (KIND(all) == NOTHING)
            all = make_text("first");
    }
    return all;
}

int is_text(value v) {
    return KIND(v) == TEXT;
}

int asks_by_call(int n) {
    value v = picked(n);
    if (!is_text(v))
        return 0;
    drop(v);
    return 1;
}

int leak_asks_by_call(int n) {
    value v = picked(n);
    if (is_text(v))
        return 0; /* LEAK */
    drop(v);
    return 1;
}
