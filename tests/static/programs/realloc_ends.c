/* Where realloc fails the old block stays: lost, unless that is the end of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(const char *where) {
    fprintf(stderr, "%s: out of memory\n", where);
    exit(1);
}

int ends(int count) {
    int *numbers = NULL, sum = 0;
    for (int i = 0; i < count; i++) {
        numbers = realloc(numbers, (i + 1) * sizeof *numbers);
        if (numbers == NULL)
            out_of_memory("numbers");
        numbers[i] = getchar();
        sum += numbers[i];
    }
    free(numbers);
    return sum;
}

int used_at_once(int count) {
    int *numbers = malloc(sizeof *numbers);
    if (!numbers)
        return 0;
    numbers = realloc(numbers, count * sizeof *numbers);
    *numbers = count;
    free(numbers);
    return count;
}

int leak_returns(int count) {
    int *numbers = NULL, sum = 0;
    for (int i = 0; i < count; i++) {
        numbers = realloc(numbers, (i + 1) * sizeof *numbers); /* LEAK */
        if (numbers == NULL)
            return -1;
        numbers[i] = getchar();
        sum += numbers[i];
    }
    free(numbers);
    return sum;
}

int leak_goes_on(int count) {
    char *text = malloc(8);
    if (!text)
        return 0;
    text = realloc(text, count + 9); /* LEAK */
    if (!text)
        puts("out of memory");
    free(text);
    return count;
}

struct table {
    char **rows;
    int count;
};

int leak_another_block(struct table *table, const char *text) {
    char *row = strdup(text);
    if (!row)
        return -1;
    char **more = realloc(table->rows, (table->count + 1) * sizeof *more);
    if (!more)
        return -1; /* LEAK */
    table->rows = more;
    table->rows[table->count++] = row;
    return 0;
}

int another_block_freed(struct table *table, const char *text) {
    char *row = strdup(text);
    if (!row)
        return -1;
    char **more = realloc(table->rows, (table->count + 1) * sizeof *more);
    if (!more) {
        free(row);
        return -1;
    }
    table->rows = more;
    table->rows[table->count++] = row;
    return 0;
}

void another_block_until_the_end(struct table *table, const char *text) {
    char *row = strdup(text);
    if (!row)
        out_of_memory("row");
    char **more = realloc(table->rows, (table->count + 1) * sizeof *more);
    if (!more)
        out_of_memory("rows");
    table->rows = more;
    table->rows[table->count++] = row;
}

char *next_word(void);

int words(void) {
    int count = 0;
    char **table = NULL, *word;
    while ((word = next_word())) {
        table = realloc(table, (count + 1) * sizeof *table);
        if (!table) {
            puts("out of memory");
            exit(1);
        }
        table[count++] = strdup(word);
    }
    while (count > 0)
        free(table[--count]);
    free(table);
    return 0;
}
