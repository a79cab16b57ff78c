/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where undefined values come from: the memory that was read before anything was stored there. An
 * origin is the number of its 32 bytes, which no two blocks share, as redzones lie between them.
 *
 * Of a variable the function is wanted. As long as the variable's frame stands, it is found there;
 * afterwards it is the function that read the variable, which is remembered for a while.
 */
#include "checker/checker.h"
#include "checker/values.h"
#include "functions/functions.h"
#include "pub_tool_stacktrace.h"
#include "shared/errors.h"
#include "shared/modules.h"
#include "shared/sites.h"

#define FRAMES 64
#define READERS 65536

/* The last instruction that read a fresh variable, by grain. */
static struct {
    UInt grain;
    Addr instruction;
} readers[READERS];

UInt hs_origin_at(Addr address, Addr instruction) {
    UInt grain = HS_ORIGIN(address);
    if (hs_state(address) == HS_KEPT)
        return hs_kept[address >> 2].origin;
    if (hs_state(address) != HS_FRESH)
        return 0;
    if (instruction) {
        readers[grain % READERS].grain = grain;
        readers[grain % READERS].instruction = instruction;
    }
    return grain;
}

ULong hs_origin_of(Addr address, ULong size, Addr instruction) {
    for (ULong i = 0; i < size; i++) {
        UInt origin = hs_origin_at(address + i, instruction);
        if (origin)
            return origin;
    }
    return 0;
}

/* An address in the function whose variable lies there, 0 if it is not known. */
static Addr function_of(UInt grain) {
    Addr address = (Addr)grain << HS_ORIGIN_BITS, frames[FRAMES], stack_pointers[FRAMES];
    ThreadId tid = VG_(get_running_tid)();
    if (address >= VG_(get_SP)(tid)) {
        UInt n = VG_(get_StackTrace)(tid, frames, FRAMES, stack_pointers, NULL, 0);
        for (UInt i = 0; i + 1 < n; i++)
            if (address < stack_pointers[i + 1])
                return frames[i];
    }
    return readers[grain % READERS].grain == grain ? readers[grain % READERS].instruction : 0;
}

static Bool overlaps(Addr block, Addr start) {
    SizeT size = hs_meant_size(block);
    return block < start + (1u << HS_ORIGIN_BITS) && start < block + (size ? size : 1);
}

void hs_tell_undefined(UInt kind, UInt origin, Addr instruction, Bool own, UInt site) {
    Addr start = (Addr)origin << HS_ORIGIN_BITS, function;
    Addr block = origin ? hs_block_meant(start + (1u << HS_ORIGIN_BITS) - 1) : 0;
    struct hs_error error = {.kind = kind,
                             .address = start,
                             .code = instruction,
                             .own = own,
                             .site = site,
                             .by_system_call = kind == HSW_UNDEFINED_ARGUMENT && !instruction};
    if (block && !overlaps(block, start))
        block = hs_block_meant(start);
    if (block && overlaps(block, start)) {
        error.block = block;
        if (block > start)
            error.address = block;
    } else if (origin && (function = function_of(origin)))
        error.origin = hs_new_site(function, 0, HSW_SITE_RANGED, hs_is_own(function));
    hs_tell_error(&error);
}
