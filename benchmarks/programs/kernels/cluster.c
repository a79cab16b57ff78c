/* Points that arrive one after the other, put into clusters: as PARSEC's streamcluster. The
   argument is how many points there are. */
#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS = 16, CENTRES = 12 };

struct centre {
    float at[DIMENSIONS];
    long points;
};

static unsigned state = 12345;

static float coordinate(void) {
    state = state * 1103515245u + 12345u;
    return (state >> 8) / 16777216.0f;
}

static float distance(const float *a, const float *b) {
    float sum = 0;
    for (int i = 0; i < DIMENSIONS; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static int nearest(const struct centre *centres, int count, const float *point, float *how_far) {
    int best = 0;
    *how_far = 1e30f;
    for (int i = 0; i < count; i++) {
        float far = distance(centres[i].at, point);
        if (far < *how_far) {
            *how_far = far;
            best = i;
        }
    }
    return best;
}

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 200;
    float(*points)[DIMENSIONS] = malloc(count * sizeof *points);
    struct centre *centres = calloc(CENTRES, sizeof *centres);
    int used = 0;
    float cost = 0, limit = 1.5f;
    for (long i = 0; i < count; i++) {
        for (int j = 0; j < DIMENSIONS; j++)
            points[i][j] = coordinate();
        float far;
        int best = nearest(centres, used, points[i], &far);
        if (used < CENTRES && far > limit) {
            best = used++;
            for (int j = 0; j < DIMENSIONS; j++)
                centres[best].at[j] = points[i][j];
            far = 0;
        }
        struct centre *centre = &centres[best];
        centre->points++;
        for (int j = 0; j < DIMENSIONS; j++)
            centre->at[j] += (points[i][j] - centre->at[j]) / centre->points;
        cost += far;
    }
    printf("%d %.4f\n", used, cost / count);
    free(points);
    free(centres);
    return 0;
}
