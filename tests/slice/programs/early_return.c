/* What follows a conditional return depends on it. */
int result;
static int pick(int x) { // *
    if (x > 100)         // *
        return 1;
    int y = x + 1; // *
    return y;      // *
}
int main(void) {
    int v = 3;        // *
    result = pick(v); // *
    return 0;
}
