/* The entries are released up to the capacity of another table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct symbol {
    char *name;
    int value;
};
struct scope {
    struct symbol local[2];
    struct symbol global[5];
};

int main(void) {
    struct scope s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < COUNT(s.local); i++)
        s.local[i].name = strdup("local");
    for (size_t i = 0; i < COUNT(s.global); i++)
        s.global[i].name = strdup("global");
    printf("%s\n", s.global[4].name ? s.global[4].name : "?");
    for (size_t i = 0; i < COUNT(s.local); i++)
        free(s.local[i].name);
#ifdef LEAK
    for (size_t i = 0; i < COUNT(s.local); i++)
#else
    for (size_t i = 0; i < COUNT(s.global); i++)
#endif
        free(s.global[i].name);
    return 0;
}
