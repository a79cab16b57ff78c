/* What was thrown, and why: the value comes out of the handler. */
int result;
static int check(int x) { // *
    if (x > 2)            // *
        throw x * 10;     // *
    return x;
}
int main() {
    int a = 3; // *
    int b = 4;
    try {
        b = check(a);      // *
    } catch (int caught) { // *
        b = caught;        // *
    }
    result = b; // *
    return 0;
}
