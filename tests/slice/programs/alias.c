/* A store through another pointer to the same variable. */
int result;
int main(void) {
    int x = 1, y = 2;
    int *p = &x; // *
    int *q = p;  // *
    *q = 7;      // *
    p = &y;
    *p = 8;
    result = x; // *
    return 0;
}
