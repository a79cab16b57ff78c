/* Values that were never set, by name; each ends with status 3. Remarks name the line. */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int sink;
#define NOINLINE __attribute__((noinline, noclone))

static void *fresh(size_t size) {
    return malloc(size); /* made here */
}

static void heap(void) {
    int *p = fresh(40);
    if (p[3] == 5) /* heap */
        sink = 1;
}

static NOINLINE void use(volatile int *p) {
    (void)p;
}

static NOINLINE void variable(void) {
    volatile int x;
    use(&x);
    if (x == 7) /* variable */
        sink = 1;
}

static NOINLINE int made(void) {
    volatile int x;
    use(&x);
    return x;
}

static void returned(void) {
    if (made() == 7) /* returned */
        sink = 1;
}

static void by_index(void) {
    static volatile int table[256];
    unsigned char *p = fresh(1);
    sink = table[*p]; /* by-index */
}

static void through_pointer(void) {
    static volatile int one;
    volatile int *volatile *p = fresh(8);
    uintptr_t at = (uintptr_t)p[0];
    at = (at & 0) + (uintptr_t)&one + (at & 4 & ~(uintptr_t)4);
    sink = *(volatile int *)at; /* defined again */
    unsigned char *q = fresh(1);
    sink = ((volatile int *)&one)[(*q & 1) * 0 + 0];
    sink = ((volatile char *)&one)[*q & 3]; /* through-pointer */
}

static void nothing(void) {}

static void call(void) {
    void (*volatile table[2])(void) = {nothing, nothing};
    void (*volatile * p)(void) = fresh(8);
    unsigned char *q = fresh(1);
    (void)p;
    table[*q & 1](); /* call */
}

static void written(void) {
    char *p = fresh(16);
    memset(p, 'a', 8);
    (void)!write(STDERR_FILENO, p, 16); /* written */
}

static void in_register(void) {
    long *p = fresh(8);
    lseek(STDIN_FILENO, *p, SEEK_CUR); /* in-register */
}

static void copied(void) {
    int *p = fresh(40), *q = fresh(40);
    memcpy(q, p, 40);
    if (q[9] == 5) /* copied */
        sink = 1;
}

static void grown(void) {
    int *p = fresh(8);
    p[0] = p[1] = 1;
    p = realloc(p, 16);
    if (p[1] == 5)
        sink = 1;
    if (p[2] == 5) /* grown */
        sink = 1;
}

static void filled(void) {
    char *p = fresh(1), *q = fresh(16);
    memset(q, *p, 16);
    if (q[15] == 5) /* filled */
        sink = 1;
}

static void compared(void) {
    char *p = fresh(8);
    p[0] = 'a';
    p[1] = 'b';
    sink = strcmp(p, "abc"); /* compared */
}

static void measured(void) {
    char *p = fresh(8);
    p[7] = 0;
    sink = (int)strlen(p); /* measured */
}

static void real(void) {
    double *p = fresh(8);
    if (*p > 1.0) /* real */
        sink = 1;
}

static void single(void) {
    float *p = fresh(8);
    p[0] = 1;
    if (p[0] + p[1] > 1.0f) /* single */
        sink = 1;
}

static void long_real(void) {
    long double *p = fresh(16);
    if (*p > 1.0L) /* long-real */
        sink = 1;
}

static void one_bit(void) {
    struct bits {
        unsigned a : 3, b : 5;
    } *p = fresh(sizeof *p);
    p->a = 3;
    if (p->a == 3)
        sink = 1;
    if (p->b == 3) /* one-bit */
        sink = 1;
}

static void shifted(void) {
    unsigned char *p = fresh(2);
    p[0] = 4;
    if ((1u << (p[1] & 7)) & 8) /* shifted */
        sink = 1;
}

static void chosen(void) {
    int *p = fresh(4);
    switch (*p) { /* chosen */
    case 1:
        sink = 1;
        break;
    case 5:
        sink = 2;
        break;
    case 90:
        sink = 3;
        break;
    }
}

static void allocated_there(void) {
    volatile char *p = alloca(100);
    use((volatile int *)p);
    if (p[50] == 5) /* allocated-there */
        sink = 1;
}

static NOINLINE void leave_something(void) {
    volatile int left[64];
    for (int i = 0; i < 64; i++)
        left[i] = i;
}

static NOINLINE void stale(void) {
    volatile int now[32];
    use(now);
    if (now[20] == 5) /* stale */
        sink = 1;
}

static void again(void) {
    leave_something();
    stale();
}

static void swapped(void) {
    long *p = fresh(8);
    long expected = 1;
    if (__atomic_compare_exchange_n(p, &expected, 2, 0, 5, 5)) /* swapped */
        sink = 1;
}

static void ended(int number) {
    (void)number;
    _exit(3);
}

/* What is mapped is defined, and what was unmapped must not be accessed. */
static void unmapped(void) {
    size_t size = 8 << 20;
    volatile int *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int *zeros = calloc(10, sizeof *zeros);
    signal(SIGSEGV, ended);
    if (p[5] || p[1000000] || zeros[9])
        sink = 1;
    munmap((void *)p, size);
    sink = p[3]; /* unmapped */
}

/* What is right: values that are not set are copied, and nothing depends on them. */
struct padded {
    char a;
    long b;
    char c;
};

static NOINLINE struct padded give(void) {
    struct padded p;
    p.a = 1;
    p.b = 2;
    p.c = 3;
    return p;
}

static jmp_buf place;

static NOINLINE void deep(int n) {
    volatile char room[1000];
    room[0] = (char)n;
    if (n == 0)
        longjmp(place, 1);
    deep(n - 1);
    sink = room[0];
}

static void right(void) {
    struct padded one = give(), *two = fresh(sizeof *two), three[4];
    unsigned char *bytes = fresh(64), copy[64];
    struct {
        unsigned a : 3, b : 9, c : 20;
    } *fields = fresh(sizeof *fields);
    unsigned *words = fresh(8);
    *two = one;
    memcpy(&three[1], two, sizeof *two);
    three[2] = three[1];
    if (three[2].a + three[2].b + three[2].c == 6)
        puts("padding");
    memcpy(copy, bytes, 64);
    memmove(copy + 3, copy, 50);
    memset(copy, 0, 64);
    if (copy[9] == 0)
        puts("copies");
    fields->b = 300;
    fields->a = 5;
    if (fields->b == 300 && fields->a == 5)
        puts("bit fields");
    if ((words[0] ^ words[0]) == 0 && (words[1] & 0) == 0 && (words[0] | ~0u) == ~0u)
        puts("logic");
    words[0] = (words[0] & ~0xFFu) | 7;
    if ((words[0] & 0xFF) == 7)
        puts("parts");
    if (setjmp(place) == 0)
        deep(100);
    for (int i = 0; i < 20; i++) {
        volatile char *large = alloca(100000);
        large[0] = large[99999] = 1;
        sink = large[0];
    }
    puts("stack");
}

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {
    {"heap", heap},
    {"variable", variable},
    {"returned", returned},
    {"by-index", by_index},
    {"through-pointer", through_pointer},
    {"call", call},
    {"written", written},
    {"in-register", in_register},
    {"copied", copied},
    {"grown", grown},
    {"filled", filled},
    {"compared", compared},
    {"measured", measured},
    {"real", real},
    {"single", single},
    {"long-real", long_real},
    {"one-bit", one_bit},
    {"shifted", shifted},
    {"chosen", chosen},
    {"allocated-there", allocated_there},
    {"stale", again},
    {"swapped", swapped},
    {"unmapped", unmapped},
    {"right", right},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, argv[1]) == 0) {
            all[i].run();
            return 3;
        }
    return 2;
}
