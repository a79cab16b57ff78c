/* Heap ranges that come and go: arenas of threads, mremap, munmap, brk down, large reserves. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *work(void *argument) {
    long n = (long)argument;
    char *kept[32];
    for (long i = 0; i < 32; i++) {
        kept[i] = malloc(100 + 10 * i);
        memset(kept[i], (int)n, 100 + 10 * i);
    }
    for (long i = 0; i < 32; i++)
        free(kept[i]);
    return NULL;
}

int main(void) {
    long *moved, *reserve;
    unsigned long tagged;
    for (long round = 0; round < 10; round++) {
        pthread_t threads[4];
        for (long i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, work, (void *)i);
        for (long i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    moved = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    moved[0] = 1;
    moved[1000] = 2;
    for (long size = 8192; size < 4 << 20; size *= 4)
        moved = mremap(moved, size, 4 * size, MREMAP_MAYMOVE);
    moved[100000] = moved[1000] + moved[0];
    reserve = mmap(NULL, 8ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserve != MAP_FAILED) {
        mprotect(reserve, 1ul << 30, PROT_READ | PROT_WRITE);
        reserve[5] = 3;
        reserve[100 << 20] = 4;
        munmap(reserve, 8ul << 30);
    }
    for (int i = 0; i < 20; i++) {
        char *top = sbrk(1 << 20);
        memset(top, i, 1000);
        sbrk(-(1 << 20));
    }
    tagged = (unsigned long)malloc(64) | 1; /* a tagged pointer */
    ((long *)(tagged & ~7ul))[1] = 9;
    ((long *)(tagged & ~7ul))[7] = 9;
    printf("%ld\n", moved[100000]);
    munmap(moved, 8192);
    return 0;
}
