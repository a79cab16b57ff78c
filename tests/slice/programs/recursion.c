/* Every activation has its own n; the call that stops it decides, too. */
int result;
static int factorial(int n) {    // *
    if (n < 2)                   // *
        return 1;                // *
    return n * factorial(n - 1); // *
}
int main(void) {
    int start = 5; // *
    int unused = factorial(3);
    result = factorial(start); // *
    return unused == 0;
}
