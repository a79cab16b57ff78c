/* Floating-point numbers, in vector registers. Some compilers move the result at the brace. */
int result;
static double half(double x) { // *
    return x / 2; }            // *
int main(void) {
    double a = 9.0; // *
    double b = 7.0;
    double c = half(a); // *
    b = half(b);
    result = (int)c; // *
    return b > 100;
}
