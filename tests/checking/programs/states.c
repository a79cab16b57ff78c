/* Table I of the Dr. Memory paper: what makes memory addressable, and what makes it defined. The
 * argument names a row. Lines with a remark are wrong, all others are right. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int data[4] = {1}, bss[4];
volatile int seen;

static void decide(int value) {
    if (value > 3)
        seen++;
}

static void at_start(char **argv) {
    decide(data[3]);
    decide(bss[2]);
    decide(argv[0][0]);
    decide(strlen(getenv("PATH")));
}

static void after_malloc(void) {
    int *p = malloc(16);
    p[0] = 1;
    decide(p[0]);
    seen = p[1] > 3 ? 1 : 2; /* malloc */
    free(p);
}

static void after_calloc(void) {
    int *p = calloc(4, 4);
    decide(p[3]);
    seen = p[4]; /* calloc */
    free(p);
}

static void after_realloc(void) {
    int *p = malloc(8);
    p[1] = 4;
    p = realloc(p, 16);
    decide(p[1]);
    seen = p[0] > 3 ? 1 : 2; /* realloc, as before */
    seen = p[3] > 3 ? 1 : 2; /* realloc, more */
    free(p);
}

static void after_free(void) {
    int *p = calloc(4, 4);
    free(p);
    seen = p[1]; /* free */
}

static void after_mmap(void) {
    int *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    decide(p[7]);
    munmap(p, 4096);
    seen = p[7]; /* munmap */
}

static void after_dlclose(const char *library) {
    void *opened = dlopen(library, RTLD_NOW);
    int *variable = dlsym(opened, "variable");
    decide(*variable);
    dlclose(opened);
    seen = *variable; /* dlclose */
}

static __attribute__((noinline)) void stack_down(void) {
    volatile int area[32];
    area[0] = 1;
    decide(area[0]);
    seen = area[9] > 3 ? 1 : 2; /* stack down */
}

static __attribute__((noinline)) volatile int *gone(void) {
    volatile int area[1000];
    volatile int *volatile inside = &area[10];
    area[10] = 7;
    return inside;
}

static void stack_up(void) {
    volatile int *p = gone();
    seen = *p; /* stack up */
}

static void call_in(void) {
    int file = open("/dev/null", O_WRONLY);
    char *p = malloc(8);
    memset(p, 1, 4);
    seen = write(file, p, 4);
    seen = write(file, p, 8); /* system call, input */
    free(p);
    close(file);
}

static void call_out(void) {
    struct stat *p = malloc(sizeof *p), *q = malloc(sizeof *q);
    stat("/", p);
    decide(p->st_mode);
    stat("/nowhere/at/all", q);
    seen = q->st_mode > 3 ? 1 : 2; /* system call, failed */
    free(p);
    free(q);
}

static void copied(void) {
    struct padded {
        char c;
        long l;
    } a, *p = malloc(sizeof *p), *q = malloc(sizeof *q);
    a.c = 1;
    a.l = 2;
    *p = a;
    memcpy(q, p, sizeof *q);
    decide(q->l);
    seen = ((char *)q)[3] > 3 ? 1 : 2; /* copied */
    free(p);
    free(q);
}

int main(int argc, char **argv) {
    const char *row = argv[1];
    if (!strcmp(row, "start"))
        at_start(argv);
    if (!strcmp(row, "malloc"))
        after_malloc();
    if (!strcmp(row, "calloc"))
        after_calloc();
    if (!strcmp(row, "realloc"))
        after_realloc();
    if (!strcmp(row, "free"))
        after_free();
    if (!strcmp(row, "mmap"))
        after_mmap();
    if (!strcmp(row, "dlclose"))
        after_dlclose(argv[2]);
    if (!strcmp(row, "stack down"))
        stack_down();
    if (!strcmp(row, "stack up"))
        stack_up();
    if (!strcmp(row, "input"))
        call_in();
    if (!strcmp(row, "output"))
        call_out();
    if (!strcmp(row, "copy"))
        copied();
    return 0;
}
