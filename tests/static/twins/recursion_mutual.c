/* A parser of nested lists by mutual recursion. */
#include "twin.h"
struct term { struct term *arg; char name; };
static struct term *parse_term(const char **s);
static struct term *parse_argument(const char **s)
{
    if (**s != '(')
        return NULL;
    (*s)++;
    struct term *t = parse_term(s);
    if (**s == ')')
        (*s)++;
    return t;
}
static struct term *parse_term(const char **s)
{
    if (!**s || **s == ')')
        return NULL;
    struct term *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    t->name = *(*s)++;
    t->arg = parse_argument(s);
    return t;
}
static void term_free(struct term *t)
{
    if (!t)
        return;
#ifndef LEAK
    term_free(t->arg);
#endif
    free(t);
}
int scenario(int round)
{
    const char *s = "f(g(h))";
    struct term *t = parse_term(&s);
    int r = t ? t->name : round;
    term_free(t);
    return r;
}
