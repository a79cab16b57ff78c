/* -O2: Who chose the function that another ends by calling through a pointer. */
int result;
static volatile int in = 3;
static int (*volatile chosen)(int);
__attribute__((noipa)) static int seven(int x) {
    return x * 7; // *
}
__attribute__((noipa)) static int twice(int x) {
    return x + x;
}
__attribute__((noipa)) static int choose(int x) {
    return chosen(x + 1); // *
}
int main(void) {
    int x = in;         // *
    if (x > 2)          // *
        chosen = seven; // *
    else
        chosen = twice;
    result = choose(x); // *
    return 0;
}
