/* Blocks of malloc, used in the ways compilers make of C. Each line `node ADDRESS SIZE` is a block
 * whose every word was accessed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

struct item {
    struct item *next;
    int number;
    short small;
    char name[18];
    double weight;
};

struct vector {
    double *begin, *end;
    int *inside;
};

static void say(const void *block, size_t size) {
    printf("node %lx %zx\n", (unsigned long)(uintptr_t)block, size);
}

static NOINLINE struct item *push(struct item *head, int number) {
    struct item *new = malloc(sizeof *new);
    new->number = number;
    new->small = (short)number;
    strcpy(new->name, "a name of 17 char");
    new->weight = number / 2.0;
    new->next = head;
    say(new, sizeof *new);
    return new;
}

static NOINLINE void fill(double *numbers, int n) {
    for (int i = 0; i < n; i++)
        numbers[i] = i * 0.5;
}

static NOINLINE void walk(int *from, int *to) {
    while (from < to)
        *from++ = 7;
}

static NOINLINE void walk_down(int *from, int *to) {
    while (to > from)
        *--to = 7;
}

static NOINLINE double sum(const double *numbers, int n) {
    double total = 0;
    for (const double *p = numbers; p < numbers + n; p++)
        total += *p;
    return total;
}

static NOINLINE long count(const struct item *item) {
    long n = 0;
    for (; item; item = item->next)
        n += item->number + item->name[3];
    return n;
}

static NOINLINE void fields(struct vector *vector, int n) {
    vector->begin = malloc(n * sizeof(double));
    vector->end = vector->begin + n; /* one past the end: nobody's */
    fill(vector->begin, n);
    vector->inside = malloc(40 * sizeof(int));
    walk_down(vector->inside, vector->inside + 40);
    say(vector->begin, n * sizeof(double));
    say(vector->inside, 40 * sizeof(int));
    vector->inside += 20; /* an interior pointer, stored */
    vector->inside[3]++;
}

int main(void) {
    struct item *head = NULL;
    struct vector *vector = malloc(sizeof *vector);
    char *text = malloc(50), *copy, *zeros = calloc(5, 16);
    int *numbers = malloc(101 * sizeof *numbers), *grown;
    int **rows = malloc(8 * sizeof *rows);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < 6; i++)
        head = push(head, i);
    fields(vector, 33);
    say(vector, sizeof *vector);
    walk(numbers, numbers + 101);
    say(numbers, 101 * sizeof *numbers);
    memset(text, 'x', 49);
    text[49] = 0;
    say(text, 50);
    copy = strdup(text);
    say(copy, 50);
    for (int i = 0; i < 80; i += 8)
        zeros[i] = 1;
    say(zeros, 80);
    for (int i = 0; i < 8; i++) {
        rows[i] = malloc((i + 1) * sizeof **rows);
        for (int k = 0; k <= i; k++)
            rows[i][k] = k;
        say(rows[i], (i + 1) * sizeof **rows);
    }
    say(rows, 8 * sizeof *rows);
    grown = realloc(numbers, 4000 * sizeof *grown);
    walk(grown, grown + 4000);
    say(grown, 4000 * sizeof *grown);
    printf("%ld %.1f\n", count(head), sum(vector->begin, 33));
    while (head) {
        struct item *next = head->next;
        free(head);
        head = next;
    }
    free(text);
    free(copy);
    return 0;
}
