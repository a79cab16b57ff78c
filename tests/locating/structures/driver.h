/* What the programs of this folder share: the command line and a seeded random source, so that a
   run is the same everywhere. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct run {
    uint64_t state;
    long nodes;      /* base size of the structure */
    long operations; /* random operations after that */
};

static inline struct run run_from(int argc, char **argv) {
    struct run run = {1, 1000, 500};
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: %s SEED [NODES [OPERATIONS]]\n", argv[0]);
        exit(2);
    }
    run.state = strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
    if (argc > 2)
        run.nodes = strtol(argv[2], NULL, 10);
    if (argc > 3)
        run.operations = strtol(argv[3], NULL, 10);
    return run;
}

/* xorshift64*: good enough to shuffle operations, and its own, so that no libc differs. */
static inline uint32_t run_random(struct run *run) {
    run->state ^= run->state >> 12;
    run->state ^= run->state << 25;
    run->state ^= run->state >> 27;
    return (uint32_t)((run->state * 0x2545F4914F6CDD1Du) >> 32);
}

static inline long run_below(struct run *run, long bound) {
    return bound > 0 ? (long)(run_random(run) % (uint64_t)bound) : 0;
}

static inline void must_have(int memory) {
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
}

#endif
