/* The kernel writes for a thread. Arguments: "cleared" or "number" (by clone), "asked"
 * (by set_tid_address), "owner" (a robust lock) or "many" (threads that nobody waits for), and
 * where: "heap" or "variable". Prints the word's address and what it holds at the end. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)
#define STACK 65536
#define MANY 20

static int variables[16 + MANY];
static int *word = variables;
static char *stacks;

static int returns(void *unused) {
    return 0;
}

static void make(int flags, int *its_word) {
    stacks += STACK;
    if (clone(returns, stacks, THREAD | flags, NULL, NULL, NULL, its_word) < 0)
        abort();
}

static void wait_until_cleared(void) {
    int held;
    while ((held = __atomic_load_n(word, __ATOMIC_ACQUIRE)))
        syscall(SYS_futex, word, FUTEX_WAIT, held, NULL, NULL, 0);
}

static void *asks(void *unused) {
    syscall(SYS_set_tid_address, word);
    return unused;
}

static void *dies(void *lock) {
    pthread_mutex_lock(lock);
    return NULL;
}

static void lock_of_the_dead(void) {
    pthread_mutex_t *lock = (pthread_mutex_t *)word;
    pthread_mutexattr_t robust;
    pthread_t thread;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(lock, &robust);
    pthread_create(&thread, NULL, dies, lock);
    pthread_join(thread, NULL);
}

int main(int count, char **words) {
    const char *way = words[1];
    pthread_t thread;
    if (count > 2 && strcmp(words[2], "heap") == 0)
        word = calloc(sizeof variables, 1);
    stacks = malloc(STACK * MANY);
    *word = 1;
    if (strcmp(way, "cleared") == 0)
        make(CLONE_CHILD_CLEARTID, word);
    else if (strcmp(way, "number") == 0)
        make(CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID, word);
    else if (strcmp(way, "asked") == 0)
        pthread_create(&thread, NULL, asks, NULL);
    else if (strcmp(way, "owner") == 0)
        lock_of_the_dead();
    else
        for (int i = 1; i <= MANY; i++) {
            word[i] = 1;
            make(CLONE_CHILD_CLEARTID, word + i);
        }
    if (strcmp(way, "owner") != 0 && strcmp(way, "many") != 0)
        wait_until_cleared();
    printf("%p %u\n", (void *)word, (unsigned)*word);
    return 0;
}
