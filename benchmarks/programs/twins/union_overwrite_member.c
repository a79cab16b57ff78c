/* An error code is stored in the union over the pointer to the result. */
#include <stdio.h>
#include <stdlib.h>

struct result {
    int ok;
    union {
        int *data;
        int error;
    } u;
};

static struct result compute(int n) {
    struct result r = {1, {NULL}};
    r.u.data = malloc(sizeof(int) * 4);
    if (!r.u.data) {
        r.ok = 0;
        r.u.error = 12;
        return r;
    }
    for (int i = 0; i < 4; i++) {
        if (n * i > 20) {
#ifndef LEAK
            free(r.u.data);
#endif
            r.ok = 0;
            r.u.error = 34;
            return r;
        }
        r.u.data[i] = n * i;
    }
    return r;
}

int main(void) {
    for (int n = 5; n < 10; n += 4) {
        struct result r = compute(n);
        printf("%d %d\n", r.ok, r.ok ? r.u.data[3] : r.u.error);
        if (r.ok)
            free(r.u.data);
    }
    return 0;
}
