/* A maximal independent set on linked lists: adjacency lists, and one doubly linked list of the
 * candidates from which a chosen vertex and its neighbours are taken out. Every round draws
 * new priorities; the largest set is kept as a list of its own. */
#include "graph.h"

struct neighbour {
    struct vertex *vertex;
    struct neighbour *next;
};

struct vertex {
    int id;
    unsigned priority;
    int candidate;
    struct neighbour *neighbours;
    struct vertex *previous;
    struct vertex *next;
};

struct member {
    int id;
    struct member *next;
};

static void connect(struct vertex *from, struct vertex *to)
{
    struct neighbour *neighbour = must(malloc(sizeof *neighbour));
    neighbour->vertex = to;
    neighbour->next = from->neighbours;
    from->neighbours = neighbour;
}

static void take_out(struct vertex **head, struct vertex *vertex)
{
    if (vertex->previous)
        vertex->previous->next = vertex->next;
    else
        *head = vertex->next;
    if (vertex->next)
        vertex->next->previous = vertex->previous;
    vertex->candidate = 0;
}

static int is_local_best(const struct vertex *vertex)
{
    for (struct neighbour *n = vertex->neighbours; n; n = n->next)
        if (n->vertex->candidate && (n->vertex->priority < vertex->priority ||
                                     (n->vertex->priority == vertex->priority &&
                                      n->vertex->id < vertex->id)))
            return 0;
    return 1;
}

static struct vertex *all_candidates(struct vertex **vertices, int count, unsigned long long *seed)
{
    for (int i = 0; i < count; i++) {
        vertices[i]->priority = next_random(seed);
        vertices[i]->candidate = 1;
        vertices[i]->previous = i ? vertices[i - 1] : NULL;
        vertices[i]->next = i + 1 < count ? vertices[i + 1] : NULL;
    }
    return vertices[0];
}

static struct member *choose(struct vertex *head, int *size)
{
    struct member *members = NULL;
    *size = 0;
    while (head)
        for (struct vertex *v = head, *next; v; v = next) {
            next = v->next;
            if (!v->candidate || !is_local_best(v))
                continue;
            struct member *member = must(malloc(sizeof *member));
            member->id = v->id;
            member->next = members;
            members = member;
            ++*size;
            take_out(&head, v);
            for (struct neighbour *n = v->neighbours; n; n = n->next)
                if (n->vertex->candidate)
                    take_out(&head, n->vertex);
            next = v->next;
            while (next && !next->candidate)
                next = next->next;
        }
    return members;
}

static void free_members(struct member *members)
{
    for (struct member *next; members; members = next) {
        next = members->next;
        free(members);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: independent GRAPH ROUNDS\n");
        return 2;
    }
    struct edge_list edges = read_edges(argv[1]);
    struct vertex **vertices = must(calloc((size_t)edges.nodes, sizeof *vertices));
    for (int i = 0; i < edges.nodes; i++) {
        vertices[i] = must(calloc(1, sizeof **vertices));
        vertices[i]->id = i;
    }
    for (int i = 0; i < edges.edges; i++) {
        connect(vertices[edges.pairs[i][0]], vertices[edges.pairs[i][1]]);
        connect(vertices[edges.pairs[i][1]], vertices[edges.pairs[i][0]]);
    }
    free(edges.pairs);
    unsigned long long seed = 20150301;
    struct member *best = NULL;
    int best_size = -1;
    for (int round = atoi(argv[2]); round > 0; round--) {
        int size;
        struct member *members = choose(all_candidates(vertices, edges.nodes, &seed), &size);
        struct member *worse = size > best_size ? best : members;
        if (size > best_size) {
            best = members;
            best_size = size;
        }
        free_members(worse);
    }
    printf("%d independent\n", best_size);
    free_members(best);
    for (int i = 0; i < edges.nodes; i++) {
        for (struct neighbour *n = vertices[i]->neighbours, *next; n; n = next) {
            next = n->next;
            free(n);
        }
        free(vertices[i]);
    }
    free(vertices);
    return 0;
}
