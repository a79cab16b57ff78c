/* An empty field returns early, after the copy of the line was made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int field_length(const char *line, int field) {
    char *copy = strdup(line);
    if (!copy)
        return -1;
    char *p = copy;
    while (field-- > 0) {
        p = strchr(p, ',');
        if (!p) {
            free(copy);
            return -1;
        }
        p++;
    }
#ifdef LEAK
    if (*p == ',' || !*p)
        return 0;
#endif
    char *end = strchr(p, ',');
    if (end)
        *end = '\0';
    int n = (int)strlen(p);
    free(copy);
    return n;
}

int main(void) {
    printf("%d %d %d\n", field_length("a,bc,,d", 1), field_length("a,bc,,d", 2),
           field_length("a,bc,,d", 9));
    return 0;
}
