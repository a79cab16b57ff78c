/* What was overwritten before it was used is not in the slice. */
int result;
int main(void) {
    int a = 1;
    a = 2;     // *
    int b = a; // *
    a = 3;
    result = b; // *
    return a;
}
