/* Data cut into pieces where their content says, equal pieces told once: as PARSEC's dedup, with
   one thread that cuts and one that looks pieces up. The argument is how many kilobytes there are.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, QUEUE = 64, LONGEST = 1024 };

struct piece {
    const unsigned char *data;
    size_t size;
    unsigned long hash;
    struct piece *next; /* in its bucket */
};

static unsigned char *data;
static size_t size;
static struct piece *buckets[BUCKETS];
static struct piece *queue[QUEUE];
static size_t head, tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static size_t unique, total;

static void put(struct piece *piece) {
    pthread_mutex_lock(&lock);
    while (tail - head == QUEUE)
        pthread_cond_wait(&changed, &lock);
    queue[tail++ % QUEUE] = piece;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static struct piece *get(void) {
    pthread_mutex_lock(&lock);
    while (head == tail)
        pthread_cond_wait(&changed, &lock);
    struct piece *piece = queue[head++ % QUEUE];
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return piece;
}

static void *cut(void *unused) {
    size_t first = 0;
    unsigned long rolling = 0;
    for (size_t i = 0; i < size; i++) {
        rolling = (rolling << 1) + data[i];
        if (((rolling & 0x3f) != 0x2a && i - first < LONGEST && i + 1 < size))
            continue;
        struct piece *piece = calloc(1, sizeof *piece);
        piece->data = data + first;
        piece->size = i + 1 - first;
        first = i + 1;
        put(piece);
    }
    put(NULL);
    return unused;
}

static unsigned long hash(const struct piece *piece) {
    unsigned long value = 14695981039346656037UL;
    for (size_t i = 0; i < piece->size; i++)
        value = (value ^ piece->data[i]) * 1099511628211UL;
    return value;
}

static void look_up(struct piece *piece) {
    piece->hash = hash(piece);
    struct piece **bucket = &buckets[piece->hash % BUCKETS];
    total++;
    for (struct piece *other = *bucket; other; other = other->next)
        if (other->hash == piece->hash && other->size == piece->size &&
            !memcmp(other->data, piece->data, piece->size)) {
            free(piece);
            return;
        }
    piece->next = *bucket;
    *bucket = piece;
    unique++;
}

int main(int argc, char **argv) {
    size = (argc > 1 ? atol(argv[1]) : 8) * 1024;
    data = malloc(size);
    unsigned state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1103515245u + 12345u;
        data[i] = i % 4096 < 2048 ? i % 256 * 7 : state >> 24;
    }
    pthread_t cutter;
    pthread_create(&cutter, NULL, cut, NULL);
    for (struct piece *piece; (piece = get());)
        look_up(piece);
    pthread_join(cutter, NULL);
    printf("%zu of %zu\n", unique, total);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct piece *piece = buckets[i], *next; piece; piece = next) {
            next = piece->next;
            free(piece);
        }
    free(data);
    return 0;
}
