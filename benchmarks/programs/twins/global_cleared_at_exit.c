/* The shutdown function sets the global pointer to null before it releases it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char *program;
    char *directory;
} global;

static void startup(void) {
    global.program = strdup("tool");
    global.directory = strdup("/tmp");
}

static void shutdown(void) {
#ifdef LEAK
    memset(&global, 0, sizeof global);
    free(global.program);
    free(global.directory);
#else
    free(global.program);
    free(global.directory);
    memset(&global, 0, sizeof global);
#endif
}

int main(void) {
    startup();
    printf("%s\n", global.program ? global.program : "?");
    shutdown();
    return 0;
}
