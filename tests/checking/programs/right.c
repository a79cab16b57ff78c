/* Nothing is wrong here, though much of it ends exactly where a block does. */
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every length and alignment, with the string at the very end of its block. */
static long strings(void) {
    long sum = 0;
    for (size_t length = 0; length < 70; length++)
        for (size_t before = 0; before < 9; before++) {
            char *p = malloc(before + length + 1) + before, *q = strdup("abc");
            memset(p, 'a', length);
            p[length] = 0;
            sum += strlen(p) + strnlen(p, length + 1) + (strchr(p, 'b') != NULL);
            sum += strcmp(p, q) + strncmp(p, q, 50) + memcmp(p, p, length) + strspn(p, "ab");
            sum += strcasecmp(p, q) + strncasecmp(p, q, 60) + strcspn(p, "xyz");
            sum += (strstr(p, "aab") != NULL) + (memchr(p, 'z', length) != NULL);
            sum += (strrchr(p, 'a') != NULL) + (strpbrk(p, "z") != NULL);
            sum += (rawmemchr(p, 0) != NULL) + (memrchr(p, 'q', length + 1) != NULL);
            sum += atoi(p) + strtol(p, NULL, 16) + strcoll(p, q);
            free(strndup(p, length));
            char *copy = malloc(length + 1);
            strcpy(copy, p);
            sum += snprintf(copy, length + 1, "%s", p);
            free(copy);
            free(p - before);
            free(q);
        }
    return sum;
}

static long wide_strings(void) {
    long sum = 0;
    for (size_t length = 0; length < 40; length++) {
        wchar_t *p = malloc(4 * (length + 1)), *q;
        wmemset(p, L'a', length);
        p[length] = 0;
        q = wcsdup(p);
        sum += wcslen(p) + wcsnlen(p, 99) + wcscmp(p, q) + wmemcmp(p, q, length);
        sum += (wcschr(p, L'b') != NULL) + (wmemchr(p, L'b', length) != NULL);
        free(p);
        free(q);
    }
    return sum;
}

static void *work(void *argument) {
    char *mine = strdup(argument);
    for (int i = 0; i < 1000; i++) {
        mine = realloc(mine, 10 + i);
        mine[9 + i] = 1;
    }
    free(mine);
    return NULL;
}

static void many(void) {
    char *words[500];
    for (int i = 0; i < 500; i++) {
        words[i] = malloc(20);
        snprintf(words[i], 20, "word %d", rand());
    }
    qsort(words, 500, sizeof *words, by_text);
    for (int i = 0; i < 500; i++)
        free(words[i]);
}

int main(void) {
    pthread_t thread[4];
    long sum = strings() + wide_strings();
    time_t now = time(NULL);
    char line[100];
    void *aligned;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        sum += strlen(line);
    fclose(file);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, "a string");
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    many();
    setenv("SOME_NAME", "a value", 1);
    strftime(line, sizeof line, "%c", localtime(&now));
    if (posix_memalign(&aligned, 4096, 10000) == 0)
        memset(aligned, 1, 10000);
    free(aligned);
    free(calloc(1000, 1000));
    free(malloc(0));
    free(NULL);
    for (size_t size = 1; size < 5000000; size *= 3)
        free(realloc(malloc(size), 2 * size));
    printf("%ld\n", sum != 0);
    return 0;
}
