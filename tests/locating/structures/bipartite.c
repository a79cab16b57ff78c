/* Bipartite graph: workers and tasks, and edges only between the two. An edge is held as two half
   edges, one in the list of each end, that know each other. */
#include "driver.h"

enum side { WORKER, TASK };

struct half_edge;

struct vertex {
    int number;
    enum side side;
    struct half_edge *first;
    struct vertex *next;
};

struct half_edge {
    struct vertex *to;
    struct half_edge *twin;
    struct half_edge *next;
};

struct bipartite {
    struct vertex *workers;
    struct vertex *tasks;
};

static struct bipartite *bipartite_new(void) {
    struct bipartite *graph = malloc(sizeof *graph);
    must_have(graph != NULL);
    graph->workers = NULL;
    graph->tasks = NULL;
    return graph;
}

static struct vertex *vertex_new(enum side side, int number, struct vertex *next) {
    struct vertex *vertex = malloc(sizeof *vertex);
    must_have(vertex != NULL);
    vertex->number = number;
    vertex->side = side;
    vertex->first = NULL;
    vertex->next = next;
    return vertex;
}

static struct vertex *add_worker(struct bipartite *graph, int number) {
    struct vertex *worker = vertex_new(WORKER, number, graph->workers);
    graph->workers = worker;
    return worker;
}

static struct vertex *add_task(struct bipartite *graph, int number) {
    struct vertex *task = vertex_new(TASK, number, graph->tasks);
    graph->tasks = task;
    return task;
}

/* The vertex at a position of its list, or the last one. */
static struct vertex *vertex_at(struct vertex *vertex, long position) {
    while (vertex && vertex->next && position-- > 0)
        vertex = vertex->next;
    return vertex;
}

static struct half_edge *find_edge(const struct vertex *from, const struct vertex *to) {
    struct half_edge *half = from->first;
    while (half && half->to != to)
        half = half->next;
    return half;
}

static struct half_edge *half_new(struct vertex *from, struct vertex *to) {
    struct half_edge *half = malloc(sizeof *half);
    must_have(half != NULL);
    half->to = to;
    half->twin = NULL;
    half->next = from->first;
    from->first = half;
    return half;
}

static int add_edge(struct vertex *worker, struct vertex *task) {
    struct half_edge *there;
    struct half_edge *back;
    if (find_edge(worker, task))
        return 0;
    there = half_new(worker, task);
    back = half_new(task, worker);
    there->twin = back;
    back->twin = there;
    return 1;
}

/* Takes a half edge out of the list of the vertex it starts from. */
static void unhook(struct vertex *from, struct half_edge *half) {
    struct half_edge *before = NULL;
    struct half_edge *each = from->first;
    while (each != half) {
        before = each;
        each = each->next;
    }
    if (before)
        before->next = half->next;
    else
        from->first = half->next;
}

static void remove_half(struct vertex *from, struct half_edge *half) {
    struct half_edge *twin = half->twin;
    unhook(half->to, twin);
    unhook(from, half);
    free(twin);
    free(half);
}

static int remove_edge(struct vertex *worker, struct vertex *task) {
    struct half_edge *half = find_edge(worker, task);
    if (!half)
        return 0;
    remove_half(worker, half);
    return 1;
}

static int remove_all_edges(struct vertex *vertex) {
    int removed = 0;
    while (vertex->first) {
        remove_half(vertex, vertex->first);
        removed++;
    }
    return removed;
}

/* Takes a vertex out with its edges and says how many those were. */
static int remove_vertex(struct bipartite *graph, struct vertex *vertex) {
    struct vertex *each = vertex->side == WORKER ? graph->workers : graph->tasks;
    struct vertex *before = NULL;
    int removed = remove_all_edges(vertex);
    while (each != vertex) {
        before = each;
        each = each->next;
    }
    if (before)
        before->next = vertex->next;
    else if (vertex->side == WORKER)
        graph->workers = vertex->next;
    else
        graph->tasks = vertex->next;
    free(vertex);
    return removed;
}

/* Gives one of a worker's tasks to another worker. */
static int hand_over(struct vertex *worker, struct vertex *other) {
    struct half_edge *half = worker->first;
    if (!half || find_edge(other, half->to))
        return 0;
    unhook(worker, half);
    half->next = other->first;
    other->first = half;
    half->twin->to = other;
    return 1;
}

static long degree_of(const struct vertex *vertex) {
    long degree = 0;
    for (const struct half_edge *half = vertex->first; half; half = half->next)
        degree++;
    return degree;
}

/* How many neighbours a depth of two steps reaches: all who share a task with the worker. */
static long colleagues_of(const struct vertex *worker) {
    long colleagues = 0;
    for (const struct half_edge *half = worker->first; half; half = half->next)
        colleagues += degree_of(half->to) - 1;
    return colleagues;
}

static unsigned digest_of(const struct vertex *vertex, long *vertices, long *halves) {
    unsigned digest = 0;
    for (; vertex; vertex = vertex->next) {
        digest = digest * 31 + (unsigned)vertex->number;
        for (const struct half_edge *half = vertex->first; half; half = half->next) {
            digest = digest * 37 + (unsigned)half->to->number;
            ++*halves;
        }
        ++*vertices;
    }
    return digest;
}

/* Four fifths of the nodes are half edges. */
static long build(struct bipartite *graph, struct run *run) {
    long vertices = run->nodes / 5 + 2;
    long edges = 0;
    for (long i = 0; i < vertices; i++) {
        if (i % 2)
            add_worker(graph, (int)i);
        else
            add_task(graph, (int)i);
    }
    while (vertices + 2 * edges < run->nodes) {
        struct vertex *worker = vertex_at(graph->workers, run_below(run, vertices / 2));
        struct vertex *task = vertex_at(graph->tasks, run_below(run, vertices / 2));
        edges += add_edge(worker, task);
    }
    return edges;
}

/* The change in the number of edges. */
static long operate(struct bipartite *graph, struct run *run, long number) {
    struct vertex *worker = vertex_at(graph->workers, run_below(run, number / 10 + 1));
    struct vertex *task = vertex_at(graph->tasks, run_below(run, number / 10 + 1));
    switch (run_below(run, 12)) {
    case 0:
        return add_edge(add_worker(graph, (int)number), task);
    case 1:
        return add_edge(worker, add_task(graph, (int)number));
    case 2:
        return worker->next ? -remove_vertex(graph, worker) : 0;
    case 3:
        return task->next ? -remove_vertex(graph, task) : 0;
    case 4:
    case 5:
        hand_over(worker, vertex_at(graph->workers, run_below(run, number / 10 + 1)));
        return 0;
    case 6:
    case 7:
        return worker->first ? -remove_edge(worker, worker->first->to) : 0;
    case 8:
        return colleagues_of(worker) < 0;
    default:
        return add_edge(worker, task);
    }
}

int main(int argc, char **argv) {
    struct run run = run_from(argc, argv);
    struct bipartite *graph = bipartite_new();
    long edges = build(graph, &run);
    long vertices = 0;
    long halves = 0;
    unsigned digest;
    for (long i = 0; i < run.operations; i++)
        edges += operate(graph, &run, run.nodes + i);
    digest = digest_of(graph->workers, &vertices, &halves);
    digest = digest * 41 + digest_of(graph->tasks, &vertices, &halves);
    printf("%ld %ld %ld %u\n", edges, halves, vertices, digest);
    return 0;
}
