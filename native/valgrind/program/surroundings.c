/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program would see of us, put away before it starts: a descriptor and a variable.
 */
#include "program/program.h"
#include "shared/syscalls.h"

/* Of the core, without a public header. */
extern HChar **VG_(client_envp);
extern struct {
    Int fd;
    Bool is_socket;
} VG_(log_output_sink);

extern const HChar *VG_(clo_log_fname_unexpanded); /* NULL: the log is stderr, or another's */

#define LIBRARY "VALGRIND_LIB="
#define OF_THE_USER "HEAPSTORY_" LIBRARY
#define SEARCHED 64

/* Valgrind writes its log through a copy of the descriptor, and leaves the one it opened: without
 * this the program's first file would not be 3. */
static void close_log(void) {
    struct vg_stat log, other;
    if (!VG_(clo_log_fname_unexpanded) || VG_(fstat)(VG_(log_output_sink).fd, &log) != 0)
        return;
    for (Int fd = 0; fd < SEARCHED; fd++)
        if (fd != VG_(log_output_sink).fd && VG_(fstat)(fd, &other) == 0 && other.dev == log.dev &&
            other.ino == log.ino)
            hs_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
}

static Bool starts_with(const HChar *text, const HChar *prefix) {
    return VG_(strncmp)(text, prefix, VG_(strlen)(prefix)) == 0;
}

/* Our VALGRIND_LIB would keep Valgrind's own tools from starting in the program's children; for an
 * exec that is recorded, the core sets it anew. The variable cannot go, for what follows the array
 * of variables is found behind it: it becomes another one. The user's own comes back. */
static void hide_library(void) {
    for (HChar **variable = VG_(client_envp); *variable; variable++)
        if (starts_with(*variable, LIBRARY))
            VG_(strcpy)(*variable, "HEAPSTORY=1");
        else if (starts_with(*variable, OF_THE_USER))
            *variable += VG_(strlen)(OF_THE_USER) - VG_(strlen)(LIBRARY);
}

void hs_surroundings_start(void) {
    close_log();
    hide_library();
}
