/* A list of numbers. */
struct list {
    int number;
    struct list *next;
};

struct list *list_push(struct list *l, int number);
struct list *list_remove(struct list *l, int number);
void list_free(struct list *l);
