/* What was learnt of a number holds until somebody may have written it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header { size_t length; int type; };
struct node { char *data; char *text; };
int copy_out(struct header *header);
void log_it(const char *text);
void read_into(char *data, size_t length);

void length_is_asked_twice(void) {
    struct header header;
    char *data = NULL;
    if (copy_out(&header) != 1)
        return;
    if (header.length > 0 && (data = malloc(header.length)) == NULL)
        return;
    log_it("read");
    if (header.length > 0)
        read_into(NULL, header.length);
    if (header.length == 0)
        return;
    free(data);
}

void leak_asked_again_after_it_was_written(void) {
    struct header header;
    char *data = NULL;
    if (copy_out(&header) != 1)
        return;
    if (header.length > 0 && (data = malloc(header.length)) == NULL)
        return;
    copy_out(&header);
    if (header.length == 0)
        return;
    free(data);
} /* LEAK */

/* A character is either this or that. */
void one_letter(const char *line, struct node *node) {
    char type;
    if (sscanf(line, "%c", &type) != 1)
        return;
    node->data = node->text = NULL;
    if (type == 'R')
        node->data = malloc(8);
    log_it(line);
    if (type == 'S')
        node->data = malloc(9);
}

void leak_two_letters(const char *line, struct node *node) {
    char type, other;
    if (sscanf(line, "%c%c", &type, &other) != 2)
        return;
    node->data = node->text = NULL;
    if (type == 'R')
        node->data = malloc(8);
    log_it(line);
    if (other == 'S')
        node->data = malloc(9); /* LEAK */
}
