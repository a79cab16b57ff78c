/* Included before a mutant's source: lets its one fault happen at one execution of the statement.
   FAULT_AT says how often the statement is passed before; without it nothing ever happens. */
#ifndef FAULT_H
#define FAULT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS 16

static long fault_seen[FAULTS];
static long fault_at[FAULTS];
static int fault_done[FAULTS];
static void *fault_freed; /* the last node that was freed */

__attribute__((constructor)) static void fault_plan(void) {
    const char *plan = getenv("FAULT_AT");
    for (int i = 0; i < FAULTS; i++) {
        fault_at[i] = plan && *plan ? strtol(plan, (char **)&plan, 10) : -1;
        if (plan && *plan == ',')
            plan++;
    }
}

/* FAULT_LOG gets, at a normal end, how often each statement was passed and whether its fault
   happened. */
__attribute__((destructor)) static void fault_report(void) {
    const char *name = getenv("FAULT_LOG");
    FILE *log = name ? fopen(name, "w") : NULL;
    for (int i = 0; log && i < FAULTS; i++)
        fprintf(log, "%ld %d\n", fault_seen[i], fault_done[i]);
    if (log)
        fclose(log);
}

/* Whether now is the time: at the planned execution, or the first one after it that allows the
   fault. */
static inline int fault_now(int number, int possible) {
    fault_seen[number]++;
    if (fault_at[number] < 0 || fault_done[number] || fault_seen[number] <= fault_at[number])
        return 0;
    fault_done[number] = possible;
    return possible;
}

/* A pointer to a node that is no more; where none was freed yet, to one made and freed for it. */
static inline void *fault_stale(size_t size) {
    if (!fault_freed) {
        void *node = malloc(size);
        fault_freed = node;
        free(node);
    }
    return fault_freed;
}

/* Unmapped, not NULL, and aligned as a node would be. */
#define FAULT_WILD ((void *)0x5eed5eed50)

/* A store of the value that is there already changes nothing: the oracle's run takes note. */
#ifdef DUMP_H
#define fault_same(same) (dump_silent |= (same))
#else
#define fault_same(same) ((void)0)
#endif

#ifdef DUMP_H
#undef free
#define free(node) (fault_freed = (node), dump_free(node))
#else
#define free(node) (fault_freed = (node), free(node))
#endif

#endif
