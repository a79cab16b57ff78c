/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Custom allocators and wrappers by name: --alloc-fn=NAME[:ARG[*ARG]] and --free-fn=NAME[:ARG].
 * Their calls are watched (watch.c); the block is what such a function returns. Only the first six
 * integer arguments can be named.
 */
#include "functions/functions.h"
#include "functions/watch.h"
#include "pub_tool_hashtable.h"
#include "shared/options.h"
#include "shared/pages.h"
#include "shared/places.h"
#include "shared/ring.h"

struct function {
    const HChar *name;
    UInt size, count; /* argument numbers from 1; count 0: none */
    Bool frees;
};

static struct function *functions;
static UInt n_functions;

/* Blocks alive; a wrapper's are malloc's and not here. */
struct custom {
    struct _VgHashNode node; /* key: address */
    SizeT size;
    ULong birth;
};
static VgHashTable *blocks;

static void forget_block(Addr address) {
    struct custom *block = blocks ? VG_(HT_remove)(blocks, address) : NULL;
    if (block)
        VG_(free)(block);
}

static void keep_block(Addr address, SizeT size) {
    struct custom *block = VG_(malloc)("hs.custom", sizeof *block);
    forget_block(address);
    if (!blocks)
        blocks = VG_(HT_construct)("hs.customs");
    block->node.key = address;
    block->size = size;
    block->birth = hs_live_birth();
    VG_(HT_add_node)(blocks, block);
}

void hs_custom_blocks(XArray *all) {
    struct custom *block;
    if (!blocks)
        return;
    VG_(HT_ResetIter)(blocks);
    while ((block = VG_(HT_Next)(blocks))) {
        struct hs_block copy = {block->node.key, block->size, block->birth, HSW_CUSTOM};
        VG_(addToXA)(all, &copy);
    }
}

static void parse(const HChar *option, const HChar *text, Bool frees) {
    struct function *f = &functions[n_functions++];
    HChar *name = VG_(strdup)("hs.function", text), *mark = VG_(strrchr)(name, ':'), *rest;
    f->size = 1;
    f->frees = frees;
    f->name = name;
    if (mark && mark[1] >= '0' && mark[1] <= '9' && (mark == name || mark[-1] != ':')) {
        f->size = VG_(strtoull10)(mark + 1, &rest);
        if (*rest == '*' && !frees)
            f->count = VG_(strtoull10)(rest + 1, &rest);
        if (*rest || f->size < 1 || f->size > 6 || f->count > 6)
            VG_(fmsg_bad_option)(option, "arguments are numbered 1 to 6\n");
        *mark = 0;
    }
    if (!*name)
        VG_(fmsg_bad_option)(option, "a function's name is missing\n");
}

static void freed(Addr address) {
    if (address == 0)
        return;
    forget_block(address);
    hs_record(HSW_FREE_BLOCK, address, (ULong)HSW_CUSTOM << 56);
}

/* Whether its return is of interest. */
static Bool entered(const struct hs_call_note *note) {
    const struct function *f = &functions[note->number];
    if (f->frees)
        freed(note->argument[f->size - 1]);
    return !f->frees;
}

static void allocated(Addr address, SizeT size) {
    if (address == 0)
        return;
    if (!hs_live_find(address)) /* else a wrapper's block, which malloc has entered already */
        keep_block(address, size);
    hs_pages_on(address, size);
    hs_record(HSW_ALLOC, address, size | (ULong)HSW_CUSTOM << 56);
}

static void returned(const struct hs_call_note *note, ULong result, Bool used) {
    const struct function *f = &functions[note->number];
    SizeT size = note->argument[f->size - 1];
    allocated(result, f->count ? size * note->argument[f->count - 1] : size);
}

static Int find(Addr code, const HChar *name) {
    for (UInt i = 0; name && i < n_functions; i++)
        if (hs_same_function(functions[i].name, name))
            return i;
    return -1;
}

static struct hs_watcher watcher = {find, entered, returned};

void hs_custom_start(void) {
    XArray *lists[2] = {hs_options.alloc_functions, hs_options.free_functions};
    UInt total = 0;
    for (UInt k = 0; k < 2; k++)
        total += lists[k] ? VG_(sizeXA)(lists[k]) : 0;
    functions = VG_(calloc)("hs.functions", total + 1, sizeof *functions);
    for (UInt k = 0; k < 2; k++)
        for (Word i = 0; lists[k] && i < VG_(sizeXA)(lists[k]); i++)
            parse(k ? "--free-fn" : "--alloc-fn", *(const HChar **)VG_(indexXA)(lists[k], i), k);
    if (n_functions)
        hs_watch(&watcher);
}
