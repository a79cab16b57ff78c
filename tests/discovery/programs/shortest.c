/* Shortest paths on shards. The vertices are cut into intervals; the shard of an interval
 * holds every edge that ends in it, ordered by its source, and the distance offered along that edge.
 * A pass works on one interval at a time: it gathers from the interval's own shard and scatters
 * new offers through one window into each shard, so edges are only ever met in order. */
#include "graph.h"
#include <limits.h>
#include <string.h>

#define FAR INT_MAX

struct shard_edge {
    int from;
    int to;
    int weight;
    int offer;
};

struct shard {
    int count;
    int room;
    struct shard_edge *edges;
    int *windows; /* windows[i]: the first edge whose source lies in interval i */
};

struct sharded_graph {
    int nodes;
    int intervals;
    int width;
    int *distances;
    struct shard **shards;
};

static int by_source(const void *left, const void *right)
{
    const struct shard_edge *a = left, *b = right;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

static void add_edge(struct shard *shard, struct shard_edge edge)
{
    if (shard->count == shard->room) {
        shard->room = shard->room ? shard->room * 2 : 64;
        shard->edges = must(realloc(shard->edges, sizeof *shard->edges * (size_t)shard->room));
    }
    shard->edges[shard->count++] = edge;
}

static void cut_windows(struct sharded_graph *graph, struct shard *shard)
{
    shard->windows = must(calloc((size_t)graph->intervals + 1, sizeof *shard->windows));
    int edge = 0;
    for (int interval = 0; interval <= graph->intervals; interval++) {
        while (edge < shard->count && shard->edges[edge].from < interval * graph->width)
            edge++;
        shard->windows[interval] = edge;
    }
    shard->windows[graph->intervals] = shard->count;
}

static struct sharded_graph *build(const struct edge_list *edges, int intervals)
{
    struct sharded_graph *graph = must(calloc(1, sizeof *graph));
    graph->nodes = edges->nodes;
    graph->intervals = intervals;
    graph->width = (edges->nodes + intervals - 1) / intervals;
    graph->distances = must(calloc((size_t)edges->nodes, sizeof *graph->distances));
    graph->shards = must(calloc((size_t)intervals, sizeof *graph->shards));
    for (int i = 0; i < intervals; i++)
        graph->shards[i] = must(calloc(1, sizeof **graph->shards));
    for (int i = 0; i < edges->edges; i++) {
        int from = edges->pairs[i][0], to = edges->pairs[i][1];
        struct shard_edge edge = {from, to, 1 + (int)((from * 31u + to * 17u) % 9u), FAR};
        add_edge(graph->shards[to / graph->width], edge);
    }
    for (int i = 0; i < intervals; i++) {
        struct shard *shard = graph->shards[i];
        if (shard->count)
            qsort(shard->edges, (size_t)shard->count, sizeof *shard->edges, by_source);
        cut_windows(graph, shard);
    }
    return graph;
}

static void reset(struct sharded_graph *graph, int source)
{
    for (int i = 0; i < graph->nodes; i++)
        graph->distances[i] = FAR;
    for (int i = 0; i < graph->intervals; i++)
        for (int e = 0; e < graph->shards[i]->count; e++) {
            struct shard_edge *edge = &graph->shards[i]->edges[e];
            edge->offer = edge->from == source ? edge->weight : FAR;
        }
    graph->distances[source] = 0;
}

static int gather(struct sharded_graph *graph, const struct shard *shard)
{
    int changed = 0;
    for (int e = 0; e < shard->count; e++) {
        const struct shard_edge *edge = &shard->edges[e];
        if (edge->offer < graph->distances[edge->to]) {
            graph->distances[edge->to] = edge->offer;
            changed = 1;
        }
    }
    return changed;
}

static void scatter(struct sharded_graph *graph, int interval)
{
    for (int i = 0; i < graph->intervals; i++) {
        struct shard *shard = graph->shards[i];
        for (int e = shard->windows[interval]; e < shard->windows[interval + 1]; e++) {
            struct shard_edge *edge = &shard->edges[e];
            int distance = graph->distances[edge->from];
            if (distance != FAR)
                edge->offer = distance + edge->weight;
        }
    }
}

static long run(struct sharded_graph *graph, int source)
{
    reset(graph, source);
    for (int changed = 1; changed;) {
        changed = 0;
        for (int i = 0; i < graph->intervals; i++)
            if (gather(graph, graph->shards[i])) {
                scatter(graph, i);
                changed = 1;
            }
    }
    long total = 0;
    for (int i = 0; i < graph->nodes; i++)
        total += graph->distances[i] == FAR ? 0 : graph->distances[i];
    return total;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: shortest GRAPH SHARDS SOURCES\n");
        return 2;
    }
    struct edge_list edges = read_edges(argv[1]);
    struct sharded_graph *graph = build(&edges, atoi(argv[2]));
    free(edges.pairs);
    unsigned long long seed = 7115;
    long total = 0;
    for (int sources = atoi(argv[3]); sources > 0; sources--)
        total += run(graph, (int)(next_random(&seed) % (unsigned)graph->nodes));
    printf("%ld in all\n", total);
    for (int i = 0; i < graph->intervals; i++) {
        free(graph->shards[i]->edges);
        free(graph->shards[i]->windows);
        free(graph->shards[i]);
    }
    free(graph->shards);
    free(graph->distances);
    free(graph);
    return 0;
}
