/* Where realloc fails the old block stays: lost, unless that is the end of the program. */
#include <stdio.h>
#include <stdlib.h>

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
