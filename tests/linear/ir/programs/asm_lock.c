/* A lock in assembly of x86: the compiler's barrier is all that it needs to be given back. */
struct spin {
    volatile int held;
};
void spin_init(struct spin *s) { s->held = 0; }
void spin_lock(struct spin *s) {
    int got = 1;
    do
        __asm__ __volatile__("xchgl %0, %1" : "+r"(got), "+m"(s->held) : : "memory");
    while (got);
}
void spin_unlock(struct spin *s) {
    __asm__ __volatile__("" ::: "memory");
    s->held = 0;
}
