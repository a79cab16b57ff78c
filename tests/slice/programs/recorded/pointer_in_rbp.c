/* -O2: a pointer in the register that may also be the frame's, followed into a preserved one. */
struct node {
    struct node *next;
    int value;
};
struct node cells[2];
volatile int result, times = 1;                               // the loader stores it
__attribute__((noipa)) static int follow(struct node *from) { // *
    register struct node *at asm("rbp") = from;
    for (int left = times; left; left--)         // *
        asm volatile("mov (%0), %0" : "+r"(at)); // *
    return at->value;                            // *
}
__attribute__((noipa)) static struct node *first(struct node *all) { // *
    return all;
}
int main(int argc, char **argv) {
    (void)argv;
    cells[0].next = &cells[1]; // *
    cells[0].value = 3;
    cells[1].value = 5 * argc;     // *
    result = follow(first(cells)); // *
    return 0;
}
