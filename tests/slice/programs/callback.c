/* Which function ran is data. */
int result;
static int add(int x) { // *
    return x + 1;       // *
}
static int sub(int x) {
    return x - 1;
}
int main(void) {
    int (*f)(int) = sub;
    f = add;       // *
    int v = 6;     // *
    result = f(v); // *
    return sub(0);
}
