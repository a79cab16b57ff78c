/* A fault in the middle of a block, handled, and memory moved by functions and by the kernel. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf home;
int before, after;
char from[100] = "moved", to[100], filled[50], read_into[8];

static void handler(int number) {
    siglongjmp(home, number);
}

int main(void) {
    int ends[2];
    signal(SIGSEGV, handler);
    if (sigsetjmp(home, 1) == 0) {
        before = 1;
        *(volatile int *)8 = 2;
        after = 3;
    }
    memcpy(to, from, sizeof to);
    memset(filled, 7, sizeof filled);
    if (pipe(ends) == 0 && write(ends[1], "kernel", 7) == 7 && read(ends[0], read_into, 7) == 7)
        printf("from %p\nto %p\nfilled %p\nread %p\n", from, to, filled, read_into);
    return after;
}
