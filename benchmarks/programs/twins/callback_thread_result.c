/* The thread returns its result in memory that the one who joins it does not take. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *square(void *argument) {
    int *n = argument, *result = malloc(sizeof *result);
    if (result)
        *result = *n * *n;
    free(n);
    return result;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        int *n = malloc(sizeof *n);
        if (!n)
            break;
        *n = i;
        if (pthread_create(&thread, NULL, square, n)) {
            free(n);
            break;
        }
#ifdef LEAK
        pthread_join(thread, NULL);
#else
        void *result = NULL;
        pthread_join(thread, &result);
        printf("%d\n", result ? *(int *)result : -1);
        free(result);
#endif
    }
    return 0;
}
