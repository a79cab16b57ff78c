/* The table copies its keys; the parser hands it a copy and believes it gave it away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *key;
    int value;
};
struct map {
    struct entry at[8];
    int n;
};

static void map_set(struct map *m, const char *key, int value) {
    for (int i = 0; i < m->n; i++)
        if (!strcmp(m->at[i].key, key)) {
            m->at[i].value = value;
            return;
        }
    char *copy = strdup(key);
    if (copy)
        m->at[m->n++] = (struct entry){copy, value};
}

static void parse(struct map *m, const char *line) {
    const char *equals = strchr(line, '=');
    if (!equals)
        return;
    char *key = strndup(line, (size_t)(equals - line));
    if (!key)
        return;
    map_set(m, key, atoi(equals + 1));
#ifndef LEAK
    free(key);
#endif
}

int main(void) {
    struct map m = {.n = 0};
    parse(&m, "width=80");
    parse(&m, "height=25");
    parse(&m, "width=100");
    while (m.n) {
        m.n--;
        printf("%s %d\n", m.at[m.n].key, m.at[m.n].value);
        free(m.at[m.n].key);
    }
    return 0;
}
