/* What is only ever added to. */
volatile int length = 12;
static long a[16];
static double d[16];
static int histogram[4];
long result;
double ratio;

static __attribute__((noinline)) long sum(const long *from, int n) {
    long total = 0;
    for (int i = 0; i < n; i++) // loop: reduction 1x12; reduction total 1
        total += from[i];
    return total;
}
static __attribute__((noinline)) double product(int n) {
    double all = 1;
    for (int i = 0; i < n; i++) // loop: reduction 1x12; reduction all 1
        all *= d[i];
    return all;
}
static __attribute__((noinline)) void count(int n) {
    for (int i = 0; i < n; i++) // loop: reduction 1x12; reduction histogram 4
        histogram[i % 4]++;
}
int main(void) {
    for (int i = 0; i < 16; i++)
        d[i] = a[i] = i + 1;
    result = sum(a, length);
    ratio = product(length);
    count(length);
    return histogram[1] > 100;
}
