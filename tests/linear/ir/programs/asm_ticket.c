/* A lock of tickets that are drawn in assembly of x86. */
struct ticket {
    volatile int next, owner;
};
void ticket_init(struct ticket *t) { t->next = t->owner = 0; }
void ticket_lock(struct ticket *t) {
    int mine = 1;
    __asm__ __volatile__("lock; xaddl %0, (%1)" : "+r"(mine) : "r"(&t->next) : "memory");
    while (t->owner != mine)
        __asm__ __volatile__("pause");
    __asm__ __volatile__("" ::: "memory");
}
void ticket_unlock(struct ticket *t) {
    __asm__ __volatile__("lock\n\tincl %0" : "+m"(t->owner) : : "memory");
}
