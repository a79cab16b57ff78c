/* What is lost, and what is not. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char rest[40];
};

struct node *kept;   /* reachable, with what it leads to */
static char *middle; /* only the middle is known */
static _Thread_local void *of_thread;
void *volatile gone;

static struct node *make(struct node *next) {
    struct node *made = malloc(sizeof *made); /* node */
    memset(made, 0, sizeof *made);
    made->next = next;
    return made;
}

__attribute__((noinline)) static void lose(void) {
    gone = malloc(100); /* lost */
    gone = NULL;
    gone = make(make(make(NULL))); /* one is lost, two with it */
    gone = NULL;
    struct node *ring = make(NULL);
    ring->next = make(ring); /* a ring of two */
    ring = NULL;
    middle = (char *)malloc(200) + 16;          /* middle */
    struct node *inner = malloc(sizeof *inner); /* found by middle alone */
    *(struct node **)middle = inner;
    inner = NULL;
}

__attribute__((noinline)) static void clear(void) {
    volatile char below[4096];
    memset((void *)below, 0, sizeof below);
}

int main(void) {
    kept = make(make(NULL));
    of_thread = malloc(33); /* of a thread */
    lose();
    clear();
    return 0;
}
