#include <stdlib.h>
#include <stddef.h>
#include <string.h>
typedef struct list {
    int d;
    struct list *n;
    char *text;
} List;
typedef struct tree {
    struct tree *left, *right;
    char *key;
} Tree;
static List *push(List *head, const char *s) {
    List *e = calloc(1, sizeof *e);
    if (!e)
        return head;
    e->text = strdup(s);
    e->n = head;
    return e;
}
static void destroy(List *l) {
    while (l) {
        List *next = l->n;
        free(l->text);
        free(l);
        l = next;
    }
}
static void shallow(List *l) {
    while (l) {
        List *next = l->n;
        free(l); /* LEAK */
        l = next;
    }
}
void good_list(int n) {
    List *head = NULL;
    for (int i = 0; i < n; i++)
        head = push(head, "x");
    destroy(head);
}
void leak_helper(void) {
    List *head = push(NULL, "x");
    shallow(head);
}
void leak_head_only(int n) {
    List *head = NULL;
    for (int i = 0; i < n; i++) {
        List *e = malloc(sizeof *e);
        e->n = head;
        head = e;
    }
    free(head); /* LEAK */
}
void good_member(void) {
    List *x = malloc(sizeof *x);
    if (!x)
        return;
    x->n = malloc(sizeof *x);
    free(x->n);
    free(x);
}
void leak_member_overwritten(void) {
    List *x = calloc(1, sizeof *x);
    if (!x)
        return;
    x->text = strdup("a");
    x->text = strdup("b"); /* LEAK */
    free(x->text);
    free(x);
}
static Tree *grow(int depth) {
    if (depth == 0)
        return NULL;
    Tree *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->left = grow(depth - 1);
    t->right = grow(depth - 1);
    t->key = strdup("k");
    return t;
}
static void fell(Tree *t) {
    if (!t)
        return;
    fell(t->left);
    fell(t->right);
    free(t->key);
    free(t);
}
void good_tree(void) {
    Tree *t = grow(4);
    fell(t);
}
void leak_tree(void) {
    Tree *t = grow(4);
    free(t); /* LEAK */
}
struct pair {
    char *a, *b;
};
static void clear_pair(struct pair *p) {
    free(p->a);
    free(p->b);
    p->a = p->b = NULL;
}
void good_pair_on_stack(const char *s) {
    struct pair p = {strdup(s), strdup(s)};
    clear_pair(&p);
}
void leak_pair_on_stack(const char *s) {
    struct pair p = {strdup(s), strdup(s)};
    free(p.a);
} /* LEAK */
struct node {
    struct node *next;
    int payload;
};
struct owner {
    int tag;
    struct node link;
};
void good_container_of(void) {
    struct owner *o = malloc(sizeof *o);
    if (!o)
        return;
    struct node *n = &o->link;
    n->payload = 1;
    free((char *)n - offsetof(struct owner, link));
}
