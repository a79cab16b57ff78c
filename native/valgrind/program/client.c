/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Client requests of heapstory.h. */
#include "program/program.h"
#include "shared/peek.h"
#include "shared/ring.h"

#include "../../../src/heapstory/include/heapstory.h"

/* Bytes of a string of the program, NUL included; 0 if it cannot be read, at most a path's length.
 */
SizeT hs_client_string(const HChar *text) {
    SizeT n = 0;
    for (;;) {
        HChar first;
        if ((n == 0 || ((Addr)(text + n) & (VKI_PAGE_SIZE - 1)) == 0) &&
            !hs_peek(&first, (Addr)(text + n), 1))
            return 0;
        if (n >= VKI_PATH_MAX - 1)
            return 0;
        if (!text[n++])
            return n;
    }
}

/* Named roots, kept for the snapshot of a recording that starts later. */
struct root {
    Addr address;
    SizeT size;
    HChar *name;
};
static XArray *roots;

static void send_root(const struct root *root) {
    hs_append_payload(HSW_WORD(HSW_ROOT, root->address & HSW_ADDRESS_MASK), root->size, root->name,
                      VG_(strlen)(root->name) + 1, 0);
}

void hs_send_roots(void) {
    for (Word i = 0; roots && i < VG_(sizeXA)(roots); i++)
        send_root(VG_(indexXA)(roots, i));
}

static void add_root(Addr address, SizeT size, const HChar *name) {
    struct root root = {address, size, NULL};
    root.name = VG_(strdup)("hs.root", hs_client_string(name) ? name : "");
    if (!roots)
        roots = VG_(newXA)(VG_(malloc), "hs.roots", VG_(free), sizeof(struct root));
    VG_(addToXA)(roots, &root);
    send_root(&root);
}

static Bool handle(ThreadId tid, UWord *arguments, UWord *result) {
    *result = 0;
    switch (arguments[0]) {
    case HEAPSTORY_REQUEST_RECORDING:
        *result = hs_recording();
        return True;
    case HEAPSTORY_REQUEST_CPOINT:
        hs_client_cpoint(tid, (const HChar *)arguments[1]);
        return True;
    case HEAPSTORY_REQUEST_ROOT:
        add_root(arguments[1], arguments[2], (const HChar *)arguments[3]);
        return True;
    case HEAPSTORY_REQUEST_LEAKS:
        hs_scan_now();
        return True;
    default:
        return hs_memcheck_request(tid, arguments, result);
    }
}

void hs_client_init(void) {
    VG_(needs_client_requests)(handle);
}
