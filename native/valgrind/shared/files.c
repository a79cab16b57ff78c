/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files are mapped where, whatever for. Modules are among them; what else there is to know of
 * those, modules.c knows. Not covered: memory shared by shmat, which has no file.
 */
#include "shared/files.h"

#include "shared/ring.h"

#include "pub_tool_aspacehl.h"
#include "pub_tool_aspacemgr.h"

struct file {
    Addr start, end;
    HChar *path;
};

static XArray *files; /* of struct file */

static void announce(const struct file *file) {
    SizeT length = VG_(strlen)(file->path) + 1;
    if (length <= VKI_PATH_MAX)
        hs_append_payload(HSW_WORD(HSW_FILE_MAPPED, file->start), file->end - file->start,
                          file->path, length, 0);
}

static void add(Addr start, Addr end, const HChar *path) {
    struct file file = {start, end, VG_(strdup)("hs.file", path)};
    VG_(addToXA)(files, &file);
}

/* The recorder's own code, some of which programs run: they return from signals by it. */
static void add_own(void) {
    Int count;
    Addr *starts = VG_(get_segment_starts)(SkFileV, &count);
    for (Int i = 0; i < count; i++) {
        const NSegment *segment = VG_(am_find_nsegment)(starts[i]);
        const HChar *path = segment && segment->hasX ? VG_(am_get_filename)(segment) : NULL;
        if (!path)
            continue;
        add(segment->start, segment->end + 1, path);
        announce(VG_(indexXA)(files, VG_(sizeXA)(files) - 1));
    }
    VG_(free)(starts);
}

void hs_file_mapped(Addr start, SizeT length, const NSegment *segment) {
    const HChar *path = segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
    if (!path)
        return;
    if (!files) {
        files = VG_(newXA)(VG_(malloc), "hs.files", VG_(free), sizeof(struct file));
        add_own();
    }
    add(start, start + length, path);
    announce(VG_(indexXA)(files, VG_(sizeXA)(files) - 1));
}

void hs_file_unmapped(Addr start, SizeT length) {
    Addr end = start + length;
    Bool met = False;
    for (Word i = files ? VG_(sizeXA)(files) : 0; i-- > 0;) {
        struct file file = *(struct file *)VG_(indexXA)(files, i);
        if (start >= file.end || end <= file.start)
            continue;
        met = True;
        VG_(removeIndexXA)(files, i);
        if (file.start < start)
            add(file.start, start, file.path);
        if (end < file.end)
            add(end, file.end, file.path);
        VG_(free)(file.path);
    }
    if (met)
        hs_record(HSW_FILE_UNMAPPED, start, length);
}

void hs_send_files(void) {
    for (Word i = 0; files && i < VG_(sizeXA)(files); i++)
        announce(VG_(indexXA)(files, i));
}
