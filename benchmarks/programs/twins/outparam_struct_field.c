/* The result structure is filled again for the next record without being cleared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    char *name;
    int age;
};

static int parse(const char *line, struct record *out) {
    const char *comma = strchr(line, ',');
    if (!comma)
        return 0;
    out->name = strndup(line, (size_t)(comma - line));
    out->age = atoi(comma + 1);
    return out->name != NULL;
}

static void record_clear(struct record *r) {
    free(r->name);
    r->name = NULL;
}

int main(void) {
    static const char *const lines[] = {"ann,30", "broken", "bob,41", "cy,7"};
    struct record r = {NULL, 0};
    int oldest = 0;
    for (int i = 0; i < 4; i++) {
        if (!parse(lines[i], &r))
            continue;
#ifdef LEAK
        if (r.age > oldest)
            oldest = r.age;
        else
            record_clear(&r);
#else
        if (r.age > oldest)
            oldest = r.age;
        record_clear(&r);
#endif
    }
    printf("%d\n", oldest);
    record_clear(&r);
    return 0;
}
