/* Stacks other than the one a thread began on; each case ends with status 3. */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))
static volatile long sum;
static ucontext_t back, contexts[16];
static int n_contexts, rounds = 20;

static NOINLINE void work(int depth) {
    volatile char local[300];
    memset((char *)local, depth, sizeof local);
    if (depth > 0)
        work(depth - 1);
    sum += local[depth];
}

static void fiber(int me) {
    for (int i = 0; i < rounds; i++) {
        volatile char local[500];
        memset((char *)local, i, sizeof local);
        work(2);
        swapcontext(&contexts[me], &contexts[(me + 1) % n_contexts]);
        sum += local[me];
    }
}

static void start(int me, char *stack, size_t size) {
    getcontext(&contexts[me]);
    contexts[me].uc_stack.ss_sp = stack;
    contexts[me].uc_stack.ss_size = size;
    contexts[me].uc_link = &back;
    makecontext(&contexts[me], (void (*)(void))fiber, 1, me);
}

static void go(void) {
    swapcontext(&back, &contexts[0]);
}

/* Two stacks in one block, and data between them. */
static void between(void) {
    size_t size = 16384;
    char *block = malloc(3 * size), *data = block + size;
    memset(data, 7, size);
    n_contexts = 2;
    start(0, block, size);
    start(1, block + 2 * size, size);
    go();
    for (size_t i = 0; i < size; i++)
        sum += data[i];
}

/* Stacks of their own, in blocks. */
static void blocks(void) {
    n_contexts = 8;
    for (int i = 0; i < n_contexts; i++)
        start(i, malloc(65536), 65536);
    go();
}

/* Small stacks, one beside the other, the last one first. */
static void adjacent(void) {
    enum { SIZE = 8192, N = 8 };
    char *block = malloc(N * SIZE);
    n_contexts = N;
    for (int i = 0; i < N; i++)
        start(i, block + (N - 1 - i) * SIZE, SIZE);
    go();
}

static void mapped(void) {
    n_contexts = 4;
    for (int i = 0; i < n_contexts; i++)
        start(i, mmap(NULL, 32768, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
              32768);
    go();
}

/* A stack that is a variable of the one it is left from. */
static NOINLINE void inside(void) {
    char stack[65536];
    n_contexts = 2;
    start(0, stack, 32768);
    start(1, stack + 32768, 32768);
    go();
    sum += n_contexts;
}

/* A small one, with other variables beside it that nobody has set yet. */
static NOINLINE void beside(void) {
    volatile struct {
        long later[16];
        char stack[3500];
    } room;
    n_contexts = 1;
    rounds = 1;
    start(0, (char *)room.stack, sizeof room.stack);
    go();
    for (int i = 0; i < 16; i++)
        room.later[i] = i;
    sum += room.later[sum & 15];
}

static NOINLINE void large(void) {
    volatile char *room = alloca(1 << 20);
    room[0] = room[(1 << 20) - 1] = 1;
    sum += room[0];
}

static void loop(void) {
    for (int i = 0; i < 50; i++)
        large();
}

static jmp_buf place;
static NOINLINE void deep(int n) {
    volatile char room[4000];
    room[0] = (char)n;
    if (n == 0)
        longjmp(place, 1);
    deep(n - 1);
    sum += room[0];
}

static void jump(void) {
    for (int i = 0; i < 5; i++)
        if (setjmp(place) == 0)
            deep(50);
    work(10);
}

static void handler(int number) {
    volatile char local[2000];
    memset((char *)local, number, sizeof local);
    sum += local[5];
}

static void signals(void) {
    stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sigaltstack(&other, NULL);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    for (int i = 0; i < 3; i++)
        raise(SIGUSR2);
    work(5);
}

static void *thread(void *p) {
    work(20);
    return p;
}

static void threads(void) {
    pthread_t t[4];
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, thread, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
    }
}

/* Memory that was a thread's stack, used for something else. */
static void given(void) {
    enum { SIZE = 65536 };
    char *block = aligned_alloc(4096, SIZE);
    pthread_attr_t attributes;
    pthread_t t;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, block, SIZE);
    pthread_create(&t, &attributes, thread, NULL);
    pthread_join(t, NULL);
    memset(block, 0, SIZE);
    for (int i = 0; i < SIZE; i++)
        sum += block[i] + 1;
    free(block);
}

/* Wrong: what a function that has returned had on its stack. */
static NOINLINE char *gone(int depth) {
    char local[3000];
    memset(local, 1, sizeof local);
    sum += local[depth];
    char *volatile p = local;
    return p;
}

static void beyond(void) {
    char *p = gone(1);
    sum += *(volatile char *)p; /* beyond */
}

static void beyond_write(void) {
    char *p = gone(1);
    *(volatile char *)p = 1; /* beyond-write */
}

static void fiber_beyond(int me) {
    char *p = gone(1);
    sum += *(volatile char *)p; /* fiber-beyond */
    (void)me;
}

static void in_fiber(void) {
    n_contexts = 1;
    getcontext(&contexts[0]);
    contexts[0].uc_stack.ss_sp = malloc(65536);
    contexts[0].uc_stack.ss_size = 65536;
    contexts[0].uc_link = &back;
    makecontext(&contexts[0], (void (*)(void))fiber_beyond, 1, 0);
    go();
}

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {{"between", between},
           {"blocks", blocks},
           {"adjacent", adjacent},
           {"mapped", mapped},
           {"inside", inside},
           {"beside", beside},
           {"loop", loop},
           {"jump", jump},
           {"signals", signals},
           {"threads", threads},
           {"given", given},
           {"beyond", beyond},
           {"beyond-write", beyond_write},
           {"fiber-beyond", in_fiber}};

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, argv[1]) == 0) {
            all[i].run();
            return 3;
        }
    return 2;
}
