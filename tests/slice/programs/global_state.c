/* A global variable that two functions change. */
int result;
static int state = 1;
static void bump(void) {
    state = state + 2; // *
}
static void reset(int to) { // *
    state = to;             // *
}
int main(void) {
    bump();
    reset(10);      // *
    bump();         // *
    result = state; // *
    return 0;
}
