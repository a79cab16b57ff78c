/* Blocks that are lost, and blocks that are not; the lines of the former say so. */
#include "heapstory.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct node {
    struct node *next;
    char *name;
};

static struct node *kept;
static char *interior, *unaligned;
static volatile uintptr_t tagged; /* the address of a node with its lowest bit set */
static uintptr_t hidden;

static __attribute__((noinline)) struct node *list(int length) {
    struct node *head = NULL;
    for (int i = 0; i < length; i++) {
        struct node *made = malloc(sizeof *made); /* a node */
        made->next = head;
        made->name = strdup("name");
        head = made;
    }
    return head;
}

static __attribute__((noinline, optimize("O0"))) void ring(void) {
    struct node *volatile one = malloc(sizeof *one); /* half a ring */
    struct node *volatile other = malloc(sizeof *other);
    one->next = other, other->next = one;
    one->name = other->name = NULL;
}

/* Overwrites what returned functions left on the stack. */
static __attribute__((noinline)) void wipe(int depth) {
    volatile char bytes[1000];
    memset((char *)bytes, 0, sizeof bytes);
    if (depth)
        wipe(depth - 1);
}

int main(int count, char **words) {
    (void)words;
    kept = list(3);
    list(4);
    ring();
    interior = (char *)malloc(100) + 50;
    unaligned = (char *)malloc(99) + 1;
    struct node *tagging = malloc(sizeof *tagging);
    tagging->name = malloc(88);
    tagging->next = NULL;
    tagged = (uintptr_t)tagging | 1;
    hidden = ~(uintptr_t)malloc(77);       /* hidden */
    char *volatile large = malloc(300000); /* large */
    char **shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared[0] = malloc(66);
    char **sealed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sealed[0] = malloc(55); /* in memory that is read only */
    mprotect(sealed, 4096, PROT_READ);
    if (count > 1) {
        HEAPSTORY_MINE((void *)~hidden);
        HEAPSTORY_ROOT(sealed, "sealed");
    }
    large = NULL;
    wipe(20);
    return 3;
}
