/* Values that calls hand on in registers: no instruction of the line that calls touches them. Of
 * the lines that compute something (in square brackets, for whom), the slice of the line with
 * "> NAME" has exactly those for NAME. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define apart __attribute__((noinline))

struct two {
    long first, second;
};
volatile int input = 3;
volatile double other;
volatile long sum;

apart static double grown(int by) {
    double made = by;
    for (int i = 0; i < by; ++i)
        made = made * 1.5 + i; /* [double] [straight] [result] [power] */
    return made;
}
apart static double bent(double of) {
    return of * of + input; /* [double] */
}
apart static double noise(int by) {
    double made = by;
    for (int i = 0; i < by; ++i)
        made = made / 3 + i; /* [] */
    return made;
}

apart static void printed(void) {
    double end = bent(grown(input + 1));
    printf("%g\n", end); /* > double */
}

apart static void straight(const char *format, double value) {
    printf(format, value); /* > straight */
}

apart static struct two made(long from) {
    struct two both = {from, from};
    both.first *= 3;                 /* [] */
    asm volatile("" : "+a"(both.first)); /* without it, gcc 14 ends with xchg */
    both.second += 5 * input + from; /* [third] */
    return both;
}
apart static void taken(long one, long two, long three) {
    sum = one + three;
    sum += two;
}
apart static void third(long from) {
    long last = made(from).second;
    taken(1, 2, last); /* > third */
}

apart static int inner(int value) {
    int found = value;
    while (found < 1000)
        found = found * 2 + input; /* [tail] */
    return found;
}
apart static int outer(int value) {
    return inner(value); /* > tail */
}

apart static double kept(int by) {
    double found = grown(by); /* > result */
    other = found;
    return found + 1;
}

apart static void power(void) {
    double base = grown(input);
    other = pow(base, input * 0.5); /* > power */
}

apart static long double widened(long double of) {
    return of * 3 + input; /* [wide] */
}
apart static long double wide(void) {
    return widened(input); /* > wide */
}

apart static void plain(int number) {
    printf("%d\n", number); /* > plain */
}

int main(void) {
    other = (double)wide(); /* first: the x87 registers count as one, and printf uses them */
    other = noise(2);
    printed();
    double value = grown(input);
    straight("%g\n", value);
    third(input * 2); /* [third] */
    int number = input * 5; /* [tail] */
    sum = outer(number);
    kept(input);
    power();
    other = noise(3);
    plain(input + 7); /* [plain] */
    return 0;
}
