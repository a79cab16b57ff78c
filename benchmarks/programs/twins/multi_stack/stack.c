/* The stack releases what is left on it with a function it is given. */
#include "stack.h"
#include <stdlib.h>

int stack_push(struct stack *s, void *block) {
    if (s->n == s->room) {
        unsigned room = s->room + 4;
        void **at = realloc(s->at, room * sizeof *at);
        if (!at)
            return -1;
        s->at = at;
        s->room = room;
    }
    s->at[s->n++] = block;
    return 0;
}

void *stack_pop(struct stack *s) {
    return s->n ? s->at[--s->n] : NULL;
}

void stack_done(struct stack *s, void (*release)(void *)) {
    while (release && s->n)
        release(stack_pop(s));
    free(s->at);
    *s = (struct stack){NULL, 0, 0};
}
