/* An argument and a result; the other call has no part in it. */
int result;
static int twice(int x) { // *
    return 2 * x;         // *
}
static int thrice(int x) {
    return 3 * x;
}
int main(void) {
    int a = 4; // *
    int b = thrice(a);
    int c = twice(a); // *
    result = c;       // *
    return b == 0;
}
