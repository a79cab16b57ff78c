/* A lock that says which slot its holder has, through a pointer. */
#include <stdatomic.h>
#define SLOTS 4
struct slots {
    atomic_int next;
    atomic_int open[SLOTS];
};
void slots_init(struct slots *s) {
    atomic_init(&s->next, 0);
    for (int i = 0; i < SLOTS; i++)
        atomic_init(&s->open[i], i == 0);
}
void slots_lock(struct slots *s, unsigned *slot) {
    *slot = (unsigned)atomic_fetch_add(&s->next, 1) % SLOTS;
    while (!atomic_load(&s->open[*slot]))
        ;
}
void slots_unlock(struct slots *s, unsigned slot) {
    atomic_store(&s->open[slot], 0);
    atomic_store(&s->open[(slot + 1) % SLOTS], 1);
}
