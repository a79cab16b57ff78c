/* Iterations that know nothing of each other; a scratch array is no bond between them. */
volatile int length = 12;
double a[16], b[16], scratch[4];

static __attribute__((noinline)) void scale(int n) {
    for (int i = 0; i < n; i++) // loop: independent 1x12
        a[i] = b[i] * 2;
}
static __attribute__((noinline)) void with_scratch(int n) {
    for (int i = 0; i < n; i++) { // loop: independent 1x12
        scratch[i % 2] = b[i] * 3;
        a[i] = scratch[i % 2] + 1;
    }
}
static __attribute__((noinline)) void in_place(int n) {
    for (int i = 0; i < n; i++) // loop: independent 1x12
        a[i] = a[i] * a[i];
}
int main(void) {
    for (int i = 0; i < length; i++)
        b[i] = i;
    scale(length);
    with_scratch(length);
    in_place(length);
    return a[3] > 1000;
}
