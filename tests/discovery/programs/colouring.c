/* Graph colouring on a linked list of arrays: the vertices form a list, each holds a growing array
 * of its neighbours. Every round recolours greedily in the order of the list and then moves the
 * vertices of the highest colour to the front, which never needs more colours than before. */
#include "graph.h"
#include <string.h>

struct vertex {
    int id;
    int colour;
    int degree;
    int room;
    struct vertex **neighbours;
    struct vertex *next;
};

static void connect(struct vertex *from, struct vertex *to)
{
    if (from->degree == from->room) {
        from->room = from->room ? from->room * 2 : 2;
        from->neighbours =
            must(realloc(from->neighbours, sizeof *from->neighbours * (size_t)from->room));
    }
    from->neighbours[from->degree++] = to;
}

static struct vertex *build(const struct edge_list *edges)
{
    struct vertex **by_id = must(calloc((size_t)edges->nodes, sizeof *by_id));
    struct vertex *head = NULL;
    for (int i = edges->nodes - 1; i >= 0; i--) {
        struct vertex *vertex = must(calloc(1, sizeof *vertex));
        vertex->id = i;
        vertex->next = head;
        by_id[i] = head = vertex;
    }
    for (int i = 0; i < edges->edges; i++) {
        connect(by_id[edges->pairs[i][0]], by_id[edges->pairs[i][1]]);
        connect(by_id[edges->pairs[i][1]], by_id[edges->pairs[i][0]]);
    }
    free(by_id);
    return head;
}

static int lowest_free_colour(const struct vertex *vertex)
{
    char *taken = must(calloc((size_t)vertex->degree + 2, 1));
    for (int i = 0; i < vertex->degree; i++) {
        int colour = vertex->neighbours[i]->colour;
        if (colour && colour <= vertex->degree)
            taken[colour] = 1;
    }
    int colour = 1;
    while (taken[colour])
        colour++;
    free(taken);
    return colour;
}

static int colour_all(struct vertex *head)
{
    int most = 0;
    for (struct vertex *v = head; v; v = v->next)
        v->colour = 0;
    for (struct vertex *v = head; v; v = v->next) {
        v->colour = lowest_free_colour(v);
        if (v->colour > most)
            most = v->colour;
    }
    return most;
}

static struct vertex *highest_first(struct vertex *head, int colours)
{
    struct vertex **lists = must(calloc((size_t)colours + 1, sizeof *lists));
    for (struct vertex *next; head; head = next) {
        next = head->next;
        head->next = lists[head->colour];
        lists[head->colour] = head;
    }
    for (int colour = 1; colour <= colours; colour++)
        for (struct vertex *next; lists[colour]; lists[colour] = next) {
            next = lists[colour]->next;
            lists[colour]->next = head;
            head = lists[colour];
        }
    free(lists);
    return head;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: colouring GRAPH ROUNDS\n");
        return 2;
    }
    struct edge_list edges = read_edges(argv[1]);
    struct vertex *head = build(&edges);
    free(edges.pairs);
    int colours = 0;
    for (int round = atoi(argv[2]); round > 0; round--) {
        colours = colour_all(head);
        head = highest_first(head, colours);
    }
    printf("%d colours\n", colours);
    for (struct vertex *next; head; head = next) {
        next = head->next;
        free(head->neighbours);
        free(head);
    }
    return 0;
}
