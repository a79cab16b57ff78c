/* The program of Figures 1 and 2 of the MG++ paper, with the paper's line numbers. */
#include <stdlib.h>

struct snode {
    long data;
    struct snode *next;
};

int main(void) {
    struct snode *node, *new_node;
    node = malloc(sizeof *node);
    node->next = NULL;
    new_node = malloc(sizeof *new_node);
    new_node->next = NULL;
    node->next = new_node;

    /* The list is broken here. */

    node->next = NULL;
    return 0;
}
