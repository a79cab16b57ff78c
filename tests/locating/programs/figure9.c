/* Figure 9 of the MG++ paper: the address of a pointer is passed instead of its value, and what is
 * copied there runs over the free chunk behind. glibc finds out when it uses its lists again. */
#include <stdlib.h>
#include <string.h>

struct node {
    long key;
    char *target;
    long more[40];
};

static char value[400];

int main(void) {
    char *chunks[6];
    struct node *tmp;
    char *behind;
    memset(value, 'x', sizeof value);
    for (int i = 0; i < 6; i++)
        chunks[i] = malloc(1200);
    tmp = malloc(sizeof *tmp);
    behind = malloc(1200);
    tmp->target = malloc(sizeof value);
    for (int i = 0; i < 6; i += 2)
        free(chunks[i]);
    free(behind);
#if FAULT
    memcpy(&tmp->target, value, sizeof value); /* faulty */
#else
    memcpy(tmp->target, value, sizeof value);
#endif
    for (int i = 0; i < 6; i++)
        chunks[i] = malloc(1500);
    return chunks[0] == NULL;
}
