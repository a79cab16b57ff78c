/* Prices of European options by the formula of Black and Scholes, by two threads: as PARSEC's
   blackscholes. The argument is how many options there are. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };

struct option {
    double spot, strike, rate, volatility, years;
    int is_put;
};

static struct option *options;
static double *prices;
static long count;

static double distribution(double x) {
    double k = 1 / (1 + 0.2316419 * fabs(x));
    double sum = k * (0.319381530 + k * (-0.356563782 +
                                         k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 0.39894228040143270286 * exp(-0.5 * x * x) * sum;
    return x < 0 ? tail : 1 - tail;
}

static double price(const struct option *o) {
    double spread = o->volatility * sqrt(o->years);
    double d1 =
        (log(o->spot / o->strike) + (o->rate + o->volatility * o->volatility / 2) * o->years) /
        spread;
    double d2 = d1 - spread, later = o->strike * exp(-o->rate * o->years);
    if (o->is_put)
        return later * distribution(-d2) - o->spot * distribution(-d1);
    return o->spot * distribution(d1) - later * distribution(d2);
}

static void *work(void *argument) {
    long thread = (long)argument;
    for (long i = thread * count / THREADS; i < (thread + 1) * count / THREADS; i++)
        prices[i] = price(&options[i]);
    return NULL;
}

int main(int argc, char **argv) {
    count = argc > 1 ? atol(argv[1]) : 100;
    options = malloc(count * sizeof *options);
    prices = malloc(count * sizeof *prices);
    for (long i = 0; i < count; i++)
        options[i] =
            (struct option){90 + i % 21,         100,  0.02 + i % 7 * 0.005, 0.1 + i % 11 * 0.03,
                            0.25 + i % 4 * 0.25, i % 2};
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    double sum = 0;
    for (long i = 0; i < count; i++)
        sum += prices[i];
    printf("%.6f\n", sum / count);
    free(options);
    free(prices);
    return 0;
}
