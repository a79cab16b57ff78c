/* A stack whose exchange is written in assembly of x86, with the flag that it sets. */
#include <stdbool.h>
#include <stdlib.h>
struct item {
    int value;
    struct item *next;
};
struct stack {
    struct item *volatile top;
};
static bool exchange(struct item *volatile *at, struct item *old, struct item *made) {
    unsigned char done;
    __asm__ __volatile__("lock; cmpxchgq %3, %1; sete %0"
                         : "=q"(done), "+m"(*at), "+a"(old)
                         : "r"(made)
                         : "memory");
    return done;
}
void stack_init(struct stack *s) { s->top = NULL; }
void stack_push(struct stack *s, int value) {
    struct item *one = malloc(sizeof *one);
    one->value = value;
    do
        one->next = s->top;
    while (!exchange(&s->top, one->next, one));
}
bool stack_pop(struct stack *s, int *out) {
    struct item *one;
    do {
        one = s->top;
        __asm__ __volatile__("" ::: "memory");
        if (!one)
            return false;
    } while (!exchange(&s->top, one, one->next));
    *out = one->value;
    return true;
}
