/* Included before a mutant's source for the oracle's run: at the end, or at a crash, DUMP gets how
   the run ended and one line for every block: its address, the function that allocated it, whether
   it is live, and its bytes. Freed blocks are never given out again, so that an address means one
   block. */
#ifndef DUMP_H
#define DUMP_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dump_block {
    unsigned char *address;
    size_t size;
    const char *function;
    int live;
};

static struct dump_block *dump_blocks;
static size_t dump_count;
static size_t dump_room;
static int dump_silent; /* the fault stored what was there already */

static void *dump_allocate(size_t size, const char *function) {
    /* What a program forgets to write must not look like something by chance. */
    unsigned char *block = memset(malloc(size ? size : 1), 0xA5, size);
    if (dump_count == dump_room) {
        dump_room = dump_room ? 2 * dump_room : 4096;
        dump_blocks = realloc(dump_blocks, dump_room * sizeof *dump_blocks);
    }
    dump_blocks[dump_count++] = (struct dump_block){block, size, function, 1};
    return block;
}

static void *dump_zeroed(size_t count, size_t size, const char *function) {
    return memset(dump_allocate(count * size, function), 0, count * size);
}

static void dump_write(const char *end) {
    const char *name = getenv("DUMP");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%s%s\n", end, dump_silent ? " silent" : "");
    for (size_t i = 0; i < dump_count; i++) {
        const struct dump_block *block = &dump_blocks[i];
        fprintf(file, "%lx %s %d ", (unsigned long)block->address, block->function, block->live);
        for (size_t byte = 0; byte < block->size; byte++)
            fprintf(file, "%02x", block->address[byte]);
        fputc('\n', file);
    }
    fclose(file);
}

/* Freeing what is not live does nothing, as under Valgrind: the run goes on, and is judged by its
   structure. */
static void dump_free(void *address) {
    for (size_t i = dump_count; address && i-- > 0;) {
        if (dump_blocks[i].address == address) {
            dump_blocks[i].live = 0;
            return;
        }
    }
}

#ifdef COVERAGE
extern void __gcov_dump(void);
#else
static void __gcov_dump(void) {}
#endif

static void dump_crash(int signal) {
    __gcov_dump();
    dump_write(signal == SIGALRM ? "hang" : "crash");
    _exit(128 + signal);
}

static void dump_exit(void) {
    dump_write("exit");
}

__attribute__((constructor)) static void dump_start(void) {
    static char stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = dump_crash, .sa_flags = SA_ONSTACK};
    sigaltstack(&other, NULL); /* endless recursion is a crash too */
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    atexit(dump_exit);
    alarm(2);
}

#define malloc(size) dump_allocate(size, __func__)
#define calloc(count, size) dump_zeroed(count, size, __func__)
#define free(block) dump_free(block)

#endif
