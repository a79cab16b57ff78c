/* Preloaded into a build by `heapstory leaks -- make`: every call of a compiler or an archiver, by
 * its name or by its full path, is written to the file $HEAPSTORY_WATCH_LOG before it happens.
 *
 * Nothing else: a build must not notice it, so every failure to write is ignored. A call may be
 * made by the child of vfork, so nothing here allocates memory from the heap or changes a variable.
 *
 * A record is one write to a file opened for appending, so that records of parallel compilers do
 * not mix:
 *
 *     length in decimal '\n' directory '\0' argument '\0' argument '\0' ...
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

/* Anything that may be a compiler, an archiver or a program that runs one; the reader of the log
 * knows the names exactly. */
static int is_watched(const char *path) {
    static const char *const parts[] = {"cc", "clang", "++", "c89", "c99", "ar"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (!strncmp(name, "cc1", 3)) /* gcc's own: the call of gcc was noted */
        return 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return 1;
    return 0;
}

static void append(const char *log, const char *text, size_t length) {
    int file = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    ssize_t written = write(file, text, length);
    (void)written;
    close(file);
}

static void note(const char *path, char *const *argv) {
    const char *log = getenv("HEAPSTORY_WATCH_LOG");
    char directory[PATH_MAX];
    if (!log || !path || !argv || !is_watched(path) || !getcwd(directory, sizeof directory))
        return;
    size_t length = strlen(directory) + 1;
    for (char *const *word = argv; *word; word++)
        length += strlen(*word) + 1;
    char *text =
        mmap(NULL, length + 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED)
        return;
    size_t used = (size_t)sprintf(text, "%zu\n", length);
    used += (size_t)sprintf(text + used, "%s", directory) + 1;
    for (char *const *word = argv; *word; word++)
        used += (size_t)sprintf(text + used, "%s", *word) + 1;
    append(log, text, used);
    munmap(text, length + 24);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int execve(const char *path, char *const argv[], char *const envp[]) {
    note(path, argv);
    return NEXT(execve)(path, argv, envp);
}

int execv(const char *path, char *const argv[]) {
    note(path, argv);
    return NEXT(execve)(path, argv, environ);
}

int execvp(const char *file, char *const argv[]) {
    note(file, argv);
    return NEXT(execvpe)(file, argv, environ);
}

int execvpe(const char *file, char *const argv[], char *const envp[]) {
    note(file, argv);
    return NEXT(execvpe)(file, argv, envp);
}

/* The words of execl and its like, as an array on the stack of the caller. */
#define COLLECT(first, argv, rest)                                                                 \
    size_t count = 0;                                                                              \
    va_list rest;                                                                                  \
    va_start(rest, first);                                                                         \
    for (const char *word = first; word; word = va_arg(rest, const char *))                        \
        count++;                                                                                   \
    va_end(rest);                                                                                  \
    char *argv[count + 1];                                                                         \
    va_start(rest, first);                                                                         \
    argv[0] = (char *)first;                                                                       \
    for (size_t i = 1; i <= count; i++)                                                            \
    argv[i] = va_arg(rest, char *)

int execl(const char *path, const char *first, ...) {
    COLLECT(first, argv, rest);
    va_end(rest);
    return execv(path, argv);
}

int execlp(const char *file, const char *first, ...) {
    COLLECT(first, argv, rest);
    va_end(rest);
    return execvp(file, argv);
}

int execle(const char *path, const char *first, ...) {
    COLLECT(first, argv, rest);
    char *const *envp = va_arg(rest, char *const *);
    va_end(rest);
    return execve(path, argv, envp);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    note(path, argv);
    return NEXT(posix_spawn)(pid, path, actions, attributes, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    note(file, argv);
    return NEXT(posix_spawnp)(pid, file, actions, attributes, argv, envp);
}
