/* A library function writes a number into the caller's memory: what the caller knew of it is gone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    int size;
    int kind;
    char *body;
};

static int read_part(FILE *file, struct part *part)
{
    if (fread(&part->size, sizeof part->size, 1, file) != 1)
        return -1;
    if (part->size > 0)
        part->body = malloc(part->size);
    return 0;
}

int leak_body(FILE *file)
{
    struct part part;

    memset(&part, 0, sizeof part);
    if (read_part(file, &part) < 0)
        return -1;
    puts(part.body ? part.body : "none");
    return 0; /* LEAK */
}

int fine_body(FILE *file)
{
    struct part part;

    memset(&part, 0, sizeof part);
    if (read_part(file, &part) < 0)
        return -1;
    if (part.size > 0)
        free(part.body);
    return 0;
}

/* Other members keep what is known of them. */
static void read_size(FILE *file, struct part *part)
{
    if (fread(&part->size, sizeof part->size, 1, file) != 1)
        part->size = 0;
}

int fine_kind(FILE *file)
{
    struct part part;

    memset(&part, 0, sizeof part);
    part.kind = 1;
    part.body = malloc(64);
    read_size(file, &part);
    if (part.kind == 1)
        free(part.body);
    return 0;
}

int leak_size(FILE *file)
{
    struct part part;

    memset(&part, 0, sizeof part);
    part.body = malloc(64);
    if (!part.body)
        return -1;
    read_size(file, &part);
    if (part.size == 0)
        free(part.body);
    return 0; /* LEAK */
}
