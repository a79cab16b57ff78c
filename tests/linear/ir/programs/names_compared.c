// A set of names, which are compared byte by byte.
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char names[8][3];
static int used;
static int find(const char *name) {
    for (int i = 0; i < used; i++)
        if (memcmp(names[i], name, 3) == 0)
            return i;
    return -1;
}
bool set_add(int k) {
    char name[3] = {'a', 'b', (char)k};
    pthread_mutex_lock(&m);
    int i = find(name);
    if (i < 0)
        memcpy(names[used++], name, 3);
    pthread_mutex_unlock(&m);
    return i < 0;
}
bool set_remove(int k) {
    char name[3] = {'a', 'b', (char)k};
    pthread_mutex_lock(&m);
    int i = find(name);
    if (i >= 0)
        memcpy(names[i], names[--used], 3);
    pthread_mutex_unlock(&m);
    return i >= 0;
}
bool set_contains(int k) {
    char name[3] = {'a', 'b', (char)k};
    pthread_mutex_lock(&m);
    int i = find(name);
    pthread_mutex_unlock(&m);
    return i >= 0;
}
