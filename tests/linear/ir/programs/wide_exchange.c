#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
struct node {
    struct node *next;
    long value;
};
typedef union {
    struct {
        struct node *top;
        uint64_t count;
    } s;
    __int128 whole;
} head_t __attribute__((aligned(16)));
struct stack {
    volatile head_t head;
};
void stack_init(struct stack *s) {
    s->head.s.top = 0;
    s->head.s.count = 0;
}
static bool cas2(volatile __int128 *p, __int128 o, __int128 n) {
    return __sync_bool_compare_and_swap(p, o, n);
}
void stack_push(struct stack *s, long v) {
    struct node *n = malloc(sizeof *n);
    n->value = v;
    head_t o, w;
    do {
        o.whole = __atomic_load_n(&s->head.whole, __ATOMIC_SEQ_CST);
        n->next = o.s.top;
        w.s.top = n;
        w.s.count = o.s.count + 1;
    } while (!cas2(&s->head.whole, o.whole, w.whole));
}
bool stack_pop(struct stack *s, long *out) {
    head_t o, w;
    do {
        o.whole = __atomic_load_n(&s->head.whole, __ATOMIC_SEQ_CST);
        if (!o.s.top)
            return false;
        w.s.top = o.s.top->next;
        w.s.count = o.s.count + 1;
    } while (!cas2(&s->head.whole, o.whole, w.whole));
    *out = o.s.top->value;
    return true;
}
