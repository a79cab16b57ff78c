/* Sessions in a hash table, allocated from a pool that takes its memory from mmap: nothing that
 * malloc knows of. Used by the pages on allocators of your own and on large heaps.
 *
 *   gcc -g -o sessions sessions.c && ./sessions 40
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BUCKETS 16

struct session {
    struct session *next;
    int id;
    int requests;
};

struct pool {
    char *memory, *end;
    void *given_back;
};

static struct pool pool;
static struct session *table[BUCKETS];

void *pool_get(struct pool *from, size_t size) {
    if (from->given_back) {
        void *block = from->given_back;
        from->given_back = *(void **)block;
        return block;
    }
    if (from->memory == from->end) {
        from->memory =
            mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        from->end = from->memory + (1 << 16);
    }
    void *block = from->memory;
    from->memory += size;
    return block;
}

void pool_put(struct pool *to, void *block) {
    *(void **)block = to->given_back;
    to->given_back = block;
}

static void open_session(int id) {
    struct session *session = pool_get(&pool, sizeof *session);
    session->id = id;
    session->requests = 0;
    session->next = table[id % BUCKETS];
    table[id % BUCKETS] = session;
}

static void close_session(int id) {
    for (struct session **at = &table[id % BUCKETS]; *at; at = &(*at)->next)
        if ((*at)->id == id) {
            struct session *session = *at;
            *at = session->next;
            pool_put(&pool, session);
            return;
        }
}

int main(int argc, char **argv) {
    int sessions = argc > 1 ? atoi(argv[1]) : 40;
    for (int id = 0; id < sessions; id++)
        open_session(id);
    for (int id = 0; id < sessions; id += 3)
        close_session(id);
    int left = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct session *session = table[bucket]; session; session = session->next)
            left++;
    printf("%d sessions are open\n", left);
    return 0;
}
