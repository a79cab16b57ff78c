/* Some 500 nodes in 24 doubly linked lists that change all the time: what a picture can hold.
 * ./shelves CHANGES */
#include <stdlib.h>

#define SHELVES 24
#define NODES 480

struct book {
    struct book *next, *prev;
    long number;
    int read;
};

static struct book *shelves[SHELVES];
static unsigned seed = 7;

static unsigned dice(unsigned sides) {
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % sides;
}

static void put(long number) {
    struct book **shelf = &shelves[dice(SHELVES)];
    struct book *book = malloc(sizeof *book);
    book->number = number;
    book->read = 0;
    book->prev = NULL;
    book->next = *shelf;
    if (*shelf)
        (*shelf)->prev = book;
    *shelf = book;
}

static int take(void) {
    struct book **shelf = &shelves[dice(SHELVES)];
    struct book *book = *shelf;
    if (!book)
        return 0;
    *shelf = book->next;
    if (*shelf)
        (*shelf)->prev = NULL;
    free(book);
    return 1;
}

int main(int argc, char **argv) {
    long changes = argc > 1 ? atol(argv[1]) : 1000, books = 0;
    for (long i = 0; i < changes; i++) {
        put(i);
        books++;
        while (books > NODES)
            books -= take();
        for (struct book *book = shelves[dice(SHELVES)]; book; book = book->next)
            book->read++;
    }
    return 0;
}
