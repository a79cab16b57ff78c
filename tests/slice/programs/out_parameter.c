/* Stored by a callee through a pointer. */
int result;
static void set(int *where, int what) { // *
    *where = what;                      // *
}
int main(void) {
    int a, b;
    set(&a, 1); // *
    set(&b, 2);
    result = a; // *
    return b;
}
