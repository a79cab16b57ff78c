/* -O0: Where a jump to a label in a table went. */
int result;
static volatile int in = 1;
int main(void) {
    static void *const labels[] = {&&one, &&two};
    int x = in;      // *
    goto *labels[x]; // *
one:
    result = 1;
    return 0;
two:
    result = 2; // *
    return 0;
}
