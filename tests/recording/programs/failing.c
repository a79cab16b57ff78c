/* Asks for memory in every way of C and says which of its questions found none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int asked;

static void answer(void *p)
{
    asked++;
    if (!p)
        printf("%d %d\n", asked, errno == ENOMEM);
    free(p);
}

int main(void)
{
    char *grown = NULL;
    setvbuf(stdout, (char[4096]){0}, _IOFBF, 4096);
    for (int i = 0; i < 2; i++) {
        answer(malloc(10));
        answer(calloc(2, 8));
        answer(aligned_alloc(64, 128));
        answer(strdup("text"));
        char *p = malloc(8); /* never the one that fails twice: the next question has its size */
        asked++;
        if (!p)
            printf("%d %d\n", asked, errno == ENOMEM);
        grown = realloc(p, 10000);
        asked++;
        if (!grown) {
            printf("%d %d\n", asked, errno == ENOMEM);
            grown = p;
        }
        free(grown);
        answer(malloc(8));
        answer(malloc(8));
    }
    fflush(stdout);
    return 0;
}
