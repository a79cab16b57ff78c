/* The operations of the MG++ paper's Figure 6, one after the other, on one page of memory. Prints
 * its address. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static __attribute__((noinline, noclone)) void join(volatile long *page) {
    page[0] = 1; /* Create_Node */
    page[20] = 2; /* Join_Addresses */
}

static __attribute__((noinline, noclone)) void point(volatile long *page, volatile long *inside) {
    page[1] = (long)inside; /* Split_Node; Separate when they were merged */
}

static __attribute__((noinline, noclone)) void cross(volatile long *page) {
    page[15] = 3; /* Merge_Nodes */
}

int main(int argc, char **argv) {
    volatile long *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    join(page);
    if (argc > 1)
        point(page, page + 10);
    if (argc > 2)
        cross(page);
    if (argc > 3)
        point(page, page + 10);
    dprintf(1, "node %lx %x\n", (unsigned long)page, 168);
    return 0;
}
