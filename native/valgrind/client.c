/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Client requests of heapstory.h. */
#include "recorder.h"

#include "../../src/heapstory/include/heapstory.h"

/* Bytes of a string of the program, NUL included; 0 if it cannot be read, at most a path's length.
 */
SizeT hs_client_string(const HChar *text) {
    SizeT n = 0;
    for (;;) {
        if ((n == 0 || ((Addr)(text + n) & (VKI_PAGE_SIZE - 1)) == 0) &&
            !VG_(am_is_valid_for_client)((Addr)(text + n), 1, VKI_PROT_READ))
            return 0;
        if (n >= VKI_PATH_MAX - 1)
            return 0;
        if (!text[n++])
            return n;
    }
}

static void root(Addr address, SizeT size, const HChar *name) {
    SizeT length = hs_client_string(name);
    hs_append_payload(HSW_WORD(HSW_ROOT, address), size, length ? name : "", length ? length : 1,
                      0);
}

static Bool handle(ThreadId tid, UWord *arguments, UWord *result) {
    *result = 0;
    switch (arguments[0]) {
    case HEAPSTORY_REQUEST_RECORDING:
        *result = hs_recording;
        return True;
    case HEAPSTORY_REQUEST_CPOINT:
        hs_client_cpoint(tid, (const HChar *)arguments[1]);
        return True;
    case HEAPSTORY_REQUEST_ROOT:
        root(arguments[1], arguments[2], (const HChar *)arguments[3]);
        return True;
    default:
        return False;
    }
}

void hs_client_init(void) {
    VG_(needs_client_requests)(handle);
}
