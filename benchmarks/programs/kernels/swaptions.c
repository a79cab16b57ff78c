/* Prices of swaptions by simulating forward rates: as PARSEC's swaptions. The argument is how many
   paths are simulated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 24, FACTORS = 3 };

static unsigned long state = 1;

static double uniform(void) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return ((state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

/* One path of the forward rates; row t is the curve after t steps. */
static void simulate(double (*rates)[STEPS], double (*factors)[STEPS], double step) {
    for (int t = 1; t < STEPS; t++) {
        double shock[FACTORS];
        for (int f = 0; f < FACTORS; f++)
            shock[f] = normal() * sqrt(step);
        for (int i = 0; i < STEPS - t; i++) {
            double drift = 0, diffusion = 0;
            for (int f = 0; f < FACTORS; f++) {
                drift += factors[f][i] * factors[f][i] * step;
                diffusion += factors[f][i] * shock[f];
            }
            rates[t][i] = rates[t - 1][i + 1] + drift * step + diffusion;
        }
    }
}

static double payoff(double (*rates)[STEPS], double strike, double step) {
    double discount = 1, value = 0, bond = 1;
    for (int t = 0; t < STEPS / 2; t++)
        discount *= exp(-rates[t][0] * step);
    for (int i = 0; i < STEPS / 2; i++) {
        bond *= exp(-rates[STEPS / 2][i] * step);
        value += strike * step * bond;
    }
    value += bond - 1;
    return value > 0 ? value * discount : 0;
}

int main(int argc, char **argv) {
    long paths = argc > 1 ? atol(argv[1]) : 100;
    double(*rates)[STEPS] = calloc(STEPS, sizeof *rates);
    double(*factors)[STEPS] = calloc(FACTORS, sizeof *factors);
    for (int i = 0; i < STEPS; i++) {
        rates[0][i] = 0.04 + i * 0.0005;
        for (int f = 0; f < FACTORS; f++)
            factors[f][i] = 0.01 / (f + 1) * exp(-0.1 * i);
    }
    double sum = 0;
    for (long i = 0; i < paths; i++) {
        simulate(rates, factors, 0.25);
        sum += payoff(rates, 0.045, 0.25);
    }
    printf("%.6f\n", sum / paths);
    free(rates);
    free(factors);
    return 0;
}
