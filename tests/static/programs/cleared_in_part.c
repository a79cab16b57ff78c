/* Members of one element of a table are cleared: those beside them keep what they hold. */
#include <stdlib.h>
#include <string.h>

struct numbers {
    int first, second, third;
};
struct entry {
    char *data;
    struct numbers numbers;
    char *more;
};

int beside(struct entry *table, int at) {
    table[at].data = malloc(8);
    table[at].more = malloc(8);
    memset(&table[at].numbers, 0, sizeof table[at].numbers);
    return table[at].data && table[at].more;
}

int leak_whole(struct entry *table, int at) {
    table[at].data = malloc(8);
    memset(&table[at], 0, sizeof table[at]); /* LEAK */
    return 0;
}

int leak_second(struct entry *table, int at) {
    table[at].more = malloc(8);
    memset(&table[at].numbers, 0, sizeof table[at] - sizeof table[at].data); /* LEAK */
    return 0;
}
