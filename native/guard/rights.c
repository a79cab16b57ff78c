/* What a process may open changes with its root and its user: the report is opened before.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "kept.h"
#include "output.h"

#include <dlfcn.h>
#include <unistd.h>

#define KEEP_AND_CALL(function, ...)                                                               \
    do {                                                                                           \
        proc_keep();                                                                               \
        output_keep();                                                                             \
        return ((__typeof__(&(function)))dlsym(RTLD_NEXT, #function))(__VA_ARGS__);                \
    } while (0)

EXPORT int chroot(const char *path) {
    KEEP_AND_CALL(chroot, path);
}
EXPORT int setuid(uid_t user) {
    KEEP_AND_CALL(setuid, user);
}
EXPORT int seteuid(uid_t user) {
    KEEP_AND_CALL(seteuid, user);
}
EXPORT int setreuid(uid_t real, uid_t effective) {
    KEEP_AND_CALL(setreuid, real, effective);
}
EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved) {
    KEEP_AND_CALL(setresuid, real, effective, saved);
}
