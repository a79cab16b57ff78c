/* Structures that recursion builds, given to destroyers that do and do not follow all of it. */
#include <stdlib.h>

struct tree {
    struct tree *left, *right;
};

static struct tree *make(int depth)
{
    struct tree *t = depth ? malloc(sizeof *t) : NULL;
    if (!t)
        return NULL;
    t->left = make(depth - 1);
    t->right = make(depth - 1);
    return t;
}

static void destroy(struct tree *t)
{
    if (t) {
        destroy(t->left);
        destroy(t->right);
        free(t);
    }
}

static void destroy_left(struct tree *t)
{
    if (t) {
        destroy_left(t->left);
        free(t); /* LEAK */
    }
}

void good_tree(int n)
{
    destroy(make(n));
}

void leak_right_children(int n)
{
    destroy_left(make(n));
}

struct term {
    struct term *argument;
    char name;
};

static struct term *parse(const char **text);

static struct term *parse_argument(const char **text)
{
    if (**text != '(')
        return NULL;
    ++*text;
    return parse(text);
}

static struct term *parse(const char **text)
{
    struct term *t = **text ? malloc(sizeof *t) : NULL;
    if (!t)
        return NULL;
    t->name = *(*text)++;
    t->argument = parse_argument(text);
    return t;
}

static void drop(struct term *t)
{
    while (t) {
        struct term *next = t->argument;
        free(t);
        t = next;
    }
}

void good_term(const char *text)
{
    drop(parse(&text));
}

void leak_argument(const char *text)
{
    free(parse(&text)); /* LEAK */
}
