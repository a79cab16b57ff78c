/* A growing stack of blocks. */
struct stack {
    void **at;
    unsigned n, room;
};

int stack_push(struct stack *s, void *block);
void *stack_pop(struct stack *s);
void stack_done(struct stack *s, void (*release)(void *));
