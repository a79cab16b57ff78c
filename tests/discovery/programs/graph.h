/* Reading an edge list: "NODES EDGES" and then one "FROM TO" per line. */
#ifndef BENCH_GRAPH_H
#define BENCH_GRAPH_H

#include <stdio.h>
#include <stdlib.h>

struct edge_list {
    int nodes;
    int edges;
    int (*pairs)[2];
};

static inline void *must(void *memory)
{
    if (!memory) {
        perror("out of memory");
        exit(1);
    }
    return memory;
}

static inline struct edge_list read_edges(const char *path)
{
    struct edge_list list;
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%d %d", &list.nodes, &list.edges) != 2) {
        perror(path);
        exit(1);
    }
    list.pairs = must(malloc(sizeof *list.pairs * (size_t)list.edges));
    for (int i = 0; i < list.edges; i++)
        if (fscanf(file, "%d %d", &list.pairs[i][0], &list.pairs[i][1]) != 2) {
            fprintf(stderr, "%s: too few edges\n", path);
            exit(1);
        }
    fclose(file);
    return list;
}

/* xorshift64*: the same numbers on every machine. */
static inline unsigned next_random(unsigned long long *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (unsigned)((*state * 0x2545F4914F6CDD1DULL) >> 33);
}

#endif
