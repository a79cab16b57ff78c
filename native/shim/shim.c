/* The compiler shim: `heapstory leaks -- make` puts it in front of every compiler on PATH.
 *
 * It writes the directory and the arguments of the call to the file $HEAPSTORY_SHIM_LOG and becomes
 * the real compiler: the first program of the same name on PATH that is not in the shim's own
 * directory $HEAPSTORY_SHIM_DIR. Nothing else: a build must not notice it, so every failure to
 * write is ignored.
 *
 * A record is one write to a file opened for appending, so that records of parallel compilers do
 * not mix:
 *
 *     length in decimal '\n' directory '\0' argument '\0' argument '\0' ...
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void record(const char *log, char **argv) {
    char directory[PATH_MAX];
    if (!getcwd(directory, sizeof directory))
        return;
    size_t length = strlen(directory) + 1;
    for (char **word = argv; *word; word++)
        length += strlen(*word) + 1;
    char *text = malloc(length + 24);
    if (!text)
        return;
    size_t used = (size_t)sprintf(text, "%zu\n", length);
    used += (size_t)sprintf(text + used, "%s", directory) + 1;
    for (char **word = argv; *word; word++)
        used += (size_t)sprintf(text + used, "%s", *word) + 1;
    int file = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        ssize_t written = write(file, text, used);
        (void)written;
        close(file);
    }
    free(text);
}

/* The next program called `name` on PATH after the shim itself. */
static int become(const char *name, char **argv) {
    const char *own = getenv("HEAPSTORY_SHIM_DIR");
    const char *path = getenv("PATH");
    char candidate[PATH_MAX];
    while (path && *path) {
        size_t length = strcspn(path, ":");
        int mine = own && strlen(own) == length && !strncmp(own, path, length);
        if (!mine && length) {
            int size = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, name);
            if (size > 0 && (size_t)size < sizeof candidate && !access(candidate, X_OK)) {
                argv[0] = candidate; /* gcc finds its other parts by its own path */
                execv(candidate, argv);
            }
        }
        path += length;
        path += *path == ':';
    }
    fprintf(stderr, "heapstory: no compiler '%s' on PATH\n", name);
    return 127;
}

int main(int argc, char **argv) {
    (void)argc;
    const char *name = strrchr(argv[0], '/');
    name = name ? name + 1 : argv[0];
    const char *log = getenv("HEAPSTORY_SHIM_LOG");
    if (log)
        record(log, argv);
    return become(name, argv);
}
