/* An expired entry is unlinked when it is met; its body is kept for nobody. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
    struct page *next;
    int key, expires;
    char *body;
};
static struct page *bucket[4];

static void page_free(struct page *p) {
    free(p->body);
    free(p);
}

static void store(int key, int expires, const char *body) {
    struct page *p = malloc(sizeof *p);
    if (!p)
        return;
    *p = (struct page){bucket[key % 4], key, expires, strdup(body)};
    bucket[key % 4] = p;
}

static const char *fetch(int key, int now) {
    struct page **at = &bucket[key % 4];
    while (*at) {
        struct page *p = *at;
        if (p->expires < now) {
            *at = p->next;
#ifdef LEAK
            free(p);
#else
            page_free(p);
#endif
            continue;
        }
        if (p->key == key)
            return p->body;
        at = &p->next;
    }
    return NULL;
}

int main(void) {
    store(1, 10, "old");
    store(5, 90, "fresh");
    const char *body = fetch(1, 50);
    printf("%s\n", body ? body : "expired");
    for (int i = 0; i < 4; i++)
        while (bucket[i]) {
            struct page *p = bucket[i];
            bucket[i] = p->next;
            page_free(p);
        }
    return 0;
}
