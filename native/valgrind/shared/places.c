/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the program as the options name them: FUNC, FILE:LINE, with #K (the K-th time) or
 * :entry, :exit behind. Looked up in Valgrind's own debug information when code is translated.
 *
 * A line is reached where its instructions begin, coming from another line; a loop whose head is
 * one line is reached once per round. A function is left by a return instruction in it; a tail call
 * is no exit. C++ functions are named with or without their parameters.
 */
#include "shared/places.h"

/* Valgrind reads the line numbers of every module that is mapped, a quarter of the start-up time of
 * a small program. Only options that name a line need them: reports have theirs from the collector.
 * Whatever the arguments are, they are passed on as they came. */
Bool hs_lines_wanted;
__asm__(".text\n"
        ".globl __wrap_vgModuleLocal_read_debuginfo_dwarf3\n"
        ".type __wrap_vgModuleLocal_read_debuginfo_dwarf3, @function\n"
        "__wrap_vgModuleLocal_read_debuginfo_dwarf3:\n"
        "    cmpb $0, hs_lines_wanted(%rip)\n"
        "    jne __real_vgModuleLocal_read_debuginfo_dwarf3\n"
        "    ret\n");

static Bool is_number(const HChar *text) {
    if (!*text)
        return False;
    for (; *text; text++)
        if (*text < '0' || *text > '9')
            return False;
    return True;
}

Bool hs_parse_place(const HChar *text, struct hs_place *place) {
    HChar *name = VG_(strdup)("hs.place", text), *mark;
    VG_(memset)(place, 0, sizeof *place);
    place->times = 1;
    mark = VG_(strrchr)(name, '#');
    if (mark && is_number(mark + 1)) {
        place->times = VG_(strtoull10)(mark + 1, NULL);
        *mark = 0;
    }
    mark = VG_(strrchr)(name, ':');
    if (mark && VG_(strcmp)(mark, ":exit") == 0) {
        place->at_exit = True;
        *mark = 0;
    } else if (mark && VG_(strcmp)(mark, ":entry") == 0)
        *mark = 0;
    else if (mark && is_number(mark + 1)) {
        place->line = VG_(strtoull10)(mark + 1, NULL);
        hs_lines_wanted = True;
        *mark = 0;
    }
    place->name = name;
    return *name != 0 && place->times > 0;
}

Bool hs_same_function(const HChar *wanted, const HChar *found) {
    SizeT n = VG_(strlen)(wanted);
    return VG_(strncmp)(wanted, found, n) == 0 && (found[n] == 0 || found[n] == '(');
}

/* Whether the file of debug information, DIR/FILE, ends with what the user wrote. */
static Bool same_file(const HChar *wanted, const HChar *directory, const HChar *file) {
    HChar path[2 * VKI_PATH_MAX];
    SizeT n = VG_(strlen)(wanted), length;
    if (VG_(strlen)(directory) + VG_(strlen)(file) + 2 > sizeof path)
        return False;
    if (file[0] == '/' || !directory[0])
        VG_(strcpy)(path, file);
    else
        VG_(sprintf)(path, "%s/%s", directory, file);
    length = VG_(strlen)(path);
    return length >= n && VG_(strcmp)(path + length - n, wanted) == 0 &&
           (length == n || path[length - n - 1] == '/');
}

static Bool on_line(const struct hs_place *place, Addr code) {
    const HChar *file, *directory;
    UInt line;
    return VG_(get_filename_linenum)(VG_(current_DiEpoch)(), code, &file, &directory, &line) &&
           line == place->line && same_file(place->name, directory, file);
}

Bool hs_place_starts(const struct hs_place *place, Addr code) {
    const HChar *name;
    if (place->line) {
        if (!on_line(place, code))
            return False;
        return !on_line(place, code - 1) ||
               VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name);
    }
    return !place->at_exit && VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name) &&
           hs_same_function(place->name, name);
}

Bool hs_place_ends(const struct hs_place *place, Addr code) {
    const HChar *name;
    return place->at_exit && VG_(get_fnname)(VG_(current_DiEpoch)(), code, &name) &&
           hs_same_function(place->name, name);
}
