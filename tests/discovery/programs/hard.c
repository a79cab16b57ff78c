/* What modes portable and internals must get along with: code made at run time ("jit"), pointers
 * kept in 32 bits ("compressed") or with a tag in their low or high bits ("tagged"), threads that
 * make and drop mappings ("mappings"). `node ADDRESS SIZE`: a block whose every word was written. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noclone))
#define COUNT 50

static void say(const void *block, size_t size) {
    printf("node %lx %zx\n", (unsigned long)(uintptr_t)block, size);
}

static void *memory(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* mov %rsi,(%rdi); mov %rsi,8(%rdi); mov %rsi,16(%rdi); mov $NUMBER,%eax; ret */
static void jit(void) {
    static unsigned char code[] = {0x48, 0x89, 0x37, 0x48, 0x89, 0x77, 0x08, 0x48, 0x89,
                                   0x77, 0x10, 0xb8, 0,    0,    0,    0,    0xc3};
    unsigned char *page = memory(4096);
    long sum = 0;
    for (unsigned char i = 0; i < COUNT; i++) { /* the same page again and again */
        long *block = malloc(24);
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
        memcpy(page, code, sizeof code);
        page[12] = i;
        mprotect(page, 4096, PROT_READ | PROT_EXEC);
        sum += ((int (*)(long *, long))page)(block, i);
        say(block, 24);
    }
    printf("sum %ld\n", sum);
}

static char *region, *region_at;

NOINLINE void *region_alloc(size_t size) {
    void *result;
    if (!region)
        region = region_at = memory(1 << 16);
    result = region_at;
    region_at += size;
    return result;
}

static NOINLINE long *expand(uint32_t small) {
    return (long *)(region + ((size_t)small << 3));
}

static void compressed(void) {
    static uint32_t kept[COUNT];
    region_alloc(64); /* 0 is nobody */
    for (int i = 0; i < COUNT; i++) {
        long *block = region_alloc(32);
        block[0] = i;
        kept[i] = (uint32_t)(((char *)block - region) >> 3);
        say(block, 32);
    }
    for (int i = 0; i < COUNT; i++) {
        long *block = expand(kept[i]);
        block[1] = block[2] = i;
        *(uint32_t *)&block[3] = kept[(i + 1) % COUNT];
    }
}

static void tagged(void) {
    uintptr_t kept[COUNT], *high = malloc(sizeof kept);
    for (int i = 0; i < COUNT; i++) {
        kept[i] = (uintptr_t)malloc(40) | (i & 7);
        high[i] = ((kept[i] & ~(uintptr_t)7) + 16) | (uintptr_t)0xfeed << 48;
    }
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 5; k++)
            *(long *)((kept[i] & ~(uintptr_t)7) + 8 * k) = (long)kept[(i + k) % COUNT];
        say((void *)(kept[i] & ~(uintptr_t)7), 40);
    }
}

static void *come_and_go(void *argument) {
    long sum = 0;
    for (long i = 1; i < 60; i++) {
        size_t size = (size_t)(i % 7 + 1) << 13;
        long *mine = memory(size), *block = malloc(200 + 8 * i);
        mine[i] = block[i] = i;
        mine = mremap(mine, size, 4 * size, MREMAP_MAYMOVE);
        mine[size / 8 + i] = mine[i];
        sum += mine[size / 8 + i] + block[i];
        munmap(mine, 4 * size);
        free(block);
    }
    return (void *)sum;
}

static void mappings(void) {
    pthread_t threads[4];
    long sum = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, come_and_go, NULL);
    for (int i = 0; i < 4; i++) {
        void *one;
        pthread_join(threads[i], &one);
        sum += (long)one;
    }
    printf("sum %ld\n", sum);
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc < 2)
        return 1;
    if (strcmp(argv[1], "jit") == 0)
        jit();
    else if (strcmp(argv[1], "compressed") == 0)
        compressed();
    else if (strcmp(argv[1], "tagged") == 0)
        tagged();
    else
        mappings();
    return 0;
}
