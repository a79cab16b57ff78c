/* What a process becomes is guarded, too, where the program gives it another environment.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Nothing is allocated on the way: a child of vfork has the memory of its parent. */
#define _GNU_SOURCE
#include "exec.h"
#include "signals.h"
#include "state.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"LD_PRELOAD", "HEAPSTORY_GUARD", "HEAPSTORY_GUARD_REPORT"};
enum { NAMES = sizeof names / sizeof *names };
static char kept[NAMES][5000]; /* NAME=VALUE; empty: not set */

static int (*next_execve)(const char *, char *const *, char *const *);
static int (*next_execvpe)(const char *, char *const *, char *const *);
typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const *, char *const *);
static spawn_function *next_spawn, *next_spawnp;

void exec_start(void) {
    for (unsigned i = 0; i < NAMES; i++) {
        const char *value = getenv(names[i]);
        if (!value || strlen(value) > sizeof kept[i] - 40)
            continue;
        strcpy(kept[i], names[i]);
        strcat(kept[i], "=");
        strcat(kept[i], value);
    }
    next_execve = (__typeof__(next_execve))dlsym(RTLD_NEXT, "execve");
    next_execvpe = (__typeof__(next_execvpe))dlsym(RTLD_NEXT, "execvpe");
    next_spawn = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawn");
    next_spawnp = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawnp");
}

static bool has_name(const char *entry, const char *name) {
    size_t length = strlen(name);
    return !strncmp(entry, name, length) && entry[length] == '=';
}

static size_t length_of(char *const *list) {
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

/* The environment with what the guard needs in it; `room` has space for three entries more. */
static char *const *complete(char *const *environment, char **room) {
    size_t count = 0;
    if (!next_execve)
        exec_start(); /* a constructor that ran before ours */
    if (!kept[0][0] || !kept[2][0])
        return environment;
    for (char *const *entry = environment; entry && *entry; entry++) {
        if (has_name(*entry, names[2]))
            return environment;
        if (!has_name(*entry, names[0]))
            room[count++] = *entry;
    }
    for (unsigned i = 0; i < NAMES; i++)
        if (kept[i][0])
            room[count++] = kept[i];
    room[count] = NULL;
    return room;
}
#define COMPLETE(environment)                                                                      \
    complete(environment, alloca((length_of(environment) + NAMES + 1) * sizeof(char *)))

EXPORT int execve(const char *path, char *const *words, char *const *environment) {
    environment = COMPLETE(environment);
    signals_hand_over();
    int result = next_execve(path, words, environment);
    signals_take_back();
    return result;
}
EXPORT int execvpe(const char *file, char *const *words, char *const *environment) {
    environment = COMPLETE(environment);
    signals_hand_over();
    int result = next_execvpe(file, words, environment);
    signals_take_back();
    return result;
}
EXPORT int execv(const char *path, char *const *words) {
    return execve(path, words, environ);
}
EXPORT int execvp(const char *file, char *const *words) {
    return execvpe(file, words, environ);
}
EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const *words,
                       char *const *environment) {
    environment = COMPLETE(environment);
    signals_hand_over();
    int result = next_spawn(pid, path, actions, attributes, words, environment);
    signals_take_back();
    return result;
}
EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const *words,
                        char *const *environment) {
    environment = COMPLETE(environment);
    signals_hand_over();
    int result = next_spawnp(pid, file, actions, attributes, words, environment);
    signals_take_back();
    return result;
}

/* The forms with a list of words. */
#define WORDS_OF(first)                                                                            \
    size_t count = 1;                                                                              \
    va_list list, again;                                                                           \
    va_start(list, first);                                                                         \
    va_copy(again, list);                                                                          \
    while (va_arg(again, char *))                                                                  \
        count++;                                                                                   \
    va_end(again);                                                                                 \
    char **words = alloca((count + 1) * sizeof *words);                                            \
    words[0] = (char *)first;                                                                      \
    for (size_t i = 1; i <= count; i++)                                                            \
    words[i] = va_arg(list, char *)

EXPORT int execl(const char *path, const char *first, ...) {
    WORDS_OF(first);
    va_end(list);
    return execv(path, words);
}
EXPORT int execlp(const char *file, const char *first, ...) {
    WORDS_OF(first);
    va_end(list);
    return execvp(file, words);
}
EXPORT int execle(const char *path, const char *first, ...) {
    WORDS_OF(first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, words, environment);
}
