/* When the second condition is false the name that the first one allocated stays behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *find_name(int id) {
    return id % 3 ? strdup("somebody") : NULL;
}

static int greet(int id) {
    char *name = NULL;
    int greeted = 0;
    if ((name = find_name(id)) && id % 2 == 0) {
        printf("hello %s %d\n", name, id);
        greeted = 1;
#ifdef LEAK
        free(name);
#endif
    }
#ifndef LEAK
    free(name);
#endif
    return greeted;
}

int main(void) {
    int n = 0;
    for (int id = 0; id < 8; id++)
        n += greet(id);
    printf("%d\n", n);
    return 0;
}
