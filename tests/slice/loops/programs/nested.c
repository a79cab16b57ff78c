/* Loops in loops, in functions that loops call, and left early. */
volatile int length = 6;
static int a[8][8], b[8][8], c[8][8], rows[8];
static int state = 1;
int result;

static __attribute__((noinline)) void multiply(int n) {
    for (int i = 0; i < n; i++)       // loop: independent 1x6
        for (int j = 0; j < n; j++) { // loop: independent 6x36
            int sum = 0;
            for (int k = 0; k < n; k++) // loop: reduction 36x216; reduction sum 1
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
static __attribute__((noinline)) void relax(int n) {
    for (int i = 1; i < n; i++)     // loop: carried 1x5; flow c 1
        for (int j = 0; j < n; j++) // loop: independent 5x30
            c[i][j] += c[i - 1][j];
}
static __attribute__((noinline)) int square(int x) {
    return x * x;
}
static __attribute__((noinline)) int draw(void) {
    return state = state * 5 % 97;
}

static __attribute__((noinline)) void pure(int n) {
    for (int i = 0; i < n; i++) // loop: independent 1x6
        rows[i] = square(i);
}
static __attribute__((noinline)) void drawn(int n) {
    for (int i = 0; i < n; i++) // loop: carried 1x6; flow state 1
        rows[i] = draw();
}
static __attribute__((noinline)) int search(int wanted, int n) {
    int i = 0;
    while (i < n) { // loop: carried 1x4; control - 1
        if (rows[i] == wanted)
            break;
        i++;
    }
    return i;
}
static __attribute__((noinline)) int once(int n) {
    int sum = 0;
    for (int i = 0; i < n - 5; i++) // loop: unknown 1x1
        sum += i;
    return sum;
}
int main(void) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            a[i][j] = b[i][j] = i + j;
    multiply(length);
    relax(length);
    drawn(length);
    pure(length);
    result = search(9, length) + once(length);
    return 0;
}
