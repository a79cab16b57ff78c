/* Variables of threads that have ended. What a block is at the end stands beside its allocation;
 * the argument is a library with a thread-local variable. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define STACK (1 << 20)

static __thread char *own;
static volatile pid_t number;
static volatile int ready;

static void *joined(void *unused) {
    own = malloc(10);  /* leak */
    return malloc(11); /* leak */
}
static void *unjoined(void *unused) {
    own = malloc(20); /* leak */
    number = gettid();
    return malloc(21); /* reachable */
}
static void *detached(void *unused) {
    own = malloc(30); /* leak */
    pthread_detach(pthread_self());
    number = gettid();
    return 0;
}
static void *running(void *unused) {
    own = malloc(40); /* reachable */
    ready = 1;
    for (;;)
        pause();
}
static void *in_library(void *set) {
    ((void (*)(char *))set)(malloc(50)); /* leak */
    return 0;
}
static void *running_in_library(void *set) {
    ((void (*)(char *))set)(malloc(51)); /* reachable */
    ready = 1;
    for (;;)
        pause();
}
static void *on_own_stack(void *place) {
    own = malloc(60); /* leak */
    *(char ***)place = &own;
    return 0;
}
static void *on_reused_stack(void *place) {
    own = malloc(61); /* reachable */
    *(char ***)place = &own;
    return 0;
}

static pthread_t start(void *(*function)(void *), void *argument, void *stack) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack)
        pthread_attr_setstack(&attributes, stack, STACK);
    if (pthread_create(&thread, &attributes, function, argument))
        exit(1);
    return thread;
}
static void until_gone(void) {
    while (!number || !tgkill(getpid(), number, 0))
        usleep(1000);
    number = 0;
}
static void until_ready(void) {
    while (!ready)
        usleep(1000);
    ready = 0;
}
static void *map(void) {
    return mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int count, char **words) {
    char **place, *value;
    void *library = dlopen(words[1], RTLD_NOW), *set = library ? dlsym(library, "set") : 0;
    if (!set)
        return 1;
    start(running, 0, 0);
    until_ready();
    start(running_in_library, set, 0);
    until_ready();
    start(unjoined, 0, 0);
    until_gone();
    pthread_t first = start(joined, 0, 0), second = start(in_library, set, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    pthread_join(start(on_own_stack, &place, map()), 0);
    pthread_join(start(on_reused_stack, &place, map()), 0);
    value = *place;
    *place = 0;
    start(detached, 0, map());
    until_gone();
    place[-1] = value; /* the program uses the memory of the stack for something else */
    return 0;
}
