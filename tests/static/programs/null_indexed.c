/* Memory that could not be had is used at an index or a member: that ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    char **names;
    int count;
};

int at_an_index(int count) {
    int *numbers = malloc(sizeof *numbers);
    if (!numbers)
        return 0;
    numbers = realloc(numbers, count * sizeof *numbers);
    numbers[count - 1] = 0;
    free(numbers);
    return count;
}

void at_a_constant_index(void) {
    int *numbers = malloc(sizeof *numbers);
    if (!numbers)
        return;
    numbers = realloc(numbers, 8 * sizeof *numbers);
    numbers[7] = 0;
    free(numbers);
}

static void add(struct list *list, char *name) {
    list->names = realloc(list->names, (list->count + 1) * sizeof *list->names);
    list->names[list->count++] = name;
}

void in_a_member(char *one, char *two) {
    struct list list = {NULL, 0};
    add(&list, one);
    add(&list, two);
    free(list.names);
}

void copied_behind_the_text(const char *more) {
    char *text = malloc(8);
    size_t length;
    if (!text)
        return;
    strcpy(text, "seven");
    length = strlen(text);
    text = realloc(text, length + strlen(more) + 1);
    strcpy(text + length, more);
    puts(text);
    free(text);
}

void appended(const char *more) {
    char *text = malloc(8);
    if (!text)
        return;
    strcpy(text, "seven");
    text = realloc(text, 8 + strlen(more));
    strcat(text, more);
    free(text);
}

/* No element is looked at where there is none: the loop is not entered. */
int leak_looked_at_first(int count) {
    int *numbers = malloc(sizeof *numbers), sum = 0;
    if (!numbers)
        return 0;
    numbers = realloc(numbers, count * sizeof *numbers); /* LEAK */
    for (int i = 0; numbers && i < count; i++)
        sum += numbers[i] = getchar();
    free(numbers);
    return sum;
}
