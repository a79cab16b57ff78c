/* A queue of texts; see main.c for what leaks. */
struct queue {
    struct item *first, **last;
};

void queue_init(struct queue *q);
int queue_put(struct queue *q, const char *text);
char *queue_take(struct queue *q); /* the caller releases it */
void queue_clear(struct queue *q);
