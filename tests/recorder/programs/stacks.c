/* Code that runs on stacks in recorded memory: what it keeps there is shown from there. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define SIZE (64 * 1024)

static char text[4096];

/* Stores at constant distances from the stack pointer, seen from elsewhere. */
__attribute__((noinline)) static void work(const char *name, long seed) {
    volatile long kept[8];
    char *at = text;
    for (int i = 0; i < 8; i++)
        kept[i] = 0;
    kept[0] = seed;
    kept[1] = seed + 1;
    kept[3] = seed * 3;
    kept[7] = -seed;
    at += sprintf(at, "%s %p ", name, (void *)kept);
    for (unsigned i = 0; i < sizeof kept; i++)
        at += sprintf(at, "%02x", ((volatile unsigned char *)kept)[i]);
    puts(text);
}

static ucontext_t home, other;

static void coroutine(void) {
    work("swapcontext", 11);
    swapcontext(&other, &home);
    work("again", 12);
}

static void on_stack(char *stack) {
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = SIZE;
    other.uc_link = &home;
    makecontext(&other, coroutine, 0);
    swapcontext(&home, &other);
    swapcontext(&home, &other);
}

static volatile int zero;
static char *top;

__attribute__((used)) static void branched(void) {
    work("branch", 15);
}

/* Between the stack's change and the call is a jump that is taken, as in swapcontext of a C library
 * that knows shadow stacks. */
static void by_branch(char *stack) {
    top = stack + SIZE;
    asm volatile("mov %%rsp, %%r12\n"
                 "mov %[top], %%rsp\n"
                 "cmpl $0, %[zero]\n"
                 "je 1f\n"
                 "ud2\n"
                 "1: call branched\n"
                 "mov %%r12, %%rsp"
                 :
                 : [top] "m"(top), [zero] "m"(zero)
                 : "r12", "rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "memory", "cc");
}

static void handler(int number) {
    work("sigaltstack", 13);
}

static void *thread(void *unused) {
    work("thread", 14);
    return unused;
}

int main(int argc, char **argv) {
    static char variable[SIZE] __attribute__((aligned(16)));
    char *stack = NULL;
    if (strcmp(argv[1], "coroutine") == 0)
        on_stack(malloc(SIZE));
    if (strcmp(argv[1], "variable") == 0)
        on_stack(variable);
    if (strcmp(argv[1], "mapped") == 0)
        on_stack(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (strcmp(argv[1], "branch") == 0)
        by_branch(aligned_alloc(16, SIZE));
    if (strcmp(argv[1], "signal") == 0) {
        stack_t alternate = {.ss_sp = malloc(SIZE), .ss_size = SIZE};
        struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
        sigaltstack(&alternate, NULL);
        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
    }
    if (strcmp(argv[1], "thread") == 0 && posix_memalign((void **)&stack, 4096, SIZE) == 0) {
        pthread_attr_t attributes;
        pthread_t id;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, SIZE);
        pthread_create(&id, &attributes, thread, NULL);
        pthread_join(id, NULL);
    }
    return 0;
}
