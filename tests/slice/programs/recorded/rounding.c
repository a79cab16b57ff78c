/* -O1 -Wl,--no-as-needed -lm: Which way divisions are rounded. */
#include <fenv.h>
double result;
static volatile double one = 1, three = 3;
static volatile int up = FE_UPWARD;
int main(void) {
    int way = up;              // *
    fesetround(way);           // *
    double quotient = one;     // *
    result = quotient / three; // *
    return 0;
}
