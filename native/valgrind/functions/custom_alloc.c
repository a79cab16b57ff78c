/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Custom allocators and wrappers by name: --alloc-fn=NAME[:ARG[*ARG]] and --free-fn=NAME[:ARG].
 * Their calls are watched (watch.c); the block is what such a function returns. Only the first six
 * integer arguments can be named.
 *
 * In a checked program these functions are layers: what the outermost one returns is a block, and
 * what happens inside is the allocator's own affair and not reported. Where its size was named, the
 * outermost one is asked for a redzone more, and what it calls adds none.
 */
#include "functions/functions.h"
#include "functions/watch.h"
#include "pub_tool_hashtable.h"
#include "shared/addressable.h"
#include "shared/errors.h"
#include "shared/options.h"
#include "shared/places.h"
#include "shared/ring.h"

struct function {
    const HChar *name;
    UInt size, count; /* argument numbers from 1; count 0: none */
    Bool sized;       /* they were named */
    Bool frees;
    Bool called;
};

/* A block of malloc's that is larger by that is no wrapper's but a pool. */
#define ROUNDED 64

static struct function *functions;
static UInt n_functions;

/* ---- blocks ---- */

/* Blocks that are no block of malloc's, as a wrapper's are. In a checked program they stay after
 * they were freed, until their memory is given out again. */
struct custom {
    struct _VgHashNode node; /* key: address */
    SizeT size;
    ULong birth;
    Addr pool; /* 0: none */
    Bool told; /* the program called it a block */
    Bool freed;
};
static VgHashTable *blocks;

static void forget_block(Addr address) {
    struct custom *block = blocks ? VG_(HT_remove)(blocks, address) : NULL;
    if (block)
        VG_(free)(block);
}

static struct custom *keep_block(Addr address, SizeT size) {
    struct custom *block = VG_(malloc)("hs.custom", sizeof *block);
    forget_block(address);
    if (!blocks)
        blocks = VG_(HT_construct)("hs.customs");
    block->node.key = address;
    block->size = size;
    block->birth = hs_live_birth();
    block->pool = 0;
    block->told = False;
    block->freed = False;
    VG_(HT_add_node)(blocks, block);
    return block;
}

void hs_custom_blocks(XArray *all) {
    struct custom *block;
    if (!blocks)
        return;
    VG_(HT_ResetIter)(blocks);
    while ((block = VG_(HT_Next)(blocks))) {
        struct hs_block copy = {block->node.key, block->size, block->birth, HSW_CUSTOM};
        if (!block->freed)
            VG_(addToXA)(all, &copy);
    }
}

static void end_block(struct custom *block) {
    if (hs_checking() && !block->freed) {
        hs_make_unaddressable(block->node.key, block->size);
        block->freed = True;
    }
}

/* How far an address is from a block; 0: inside. */
static SizeT distance(const struct custom *block, Addr address) {
    Addr end = block->node.key + block->size;
    if (address < block->node.key)
        return block->node.key - address;
    return address < end ? 0 : address - end + 1;
}

/* Whether the memory that the block is part of is still the allocator's. */
static Bool stands(const struct custom *block) {
    Addr below = hs_block_below(block->node.key, 1ul << 30);
    const ULong *freed = below ? hs_freed_find(below) : NULL;
    return !freed || block->node.key >= below + hs_live_size(*freed);
}

SizeT hs_custom_size(Addr address) {
    const struct custom *block = blocks ? VG_(HT_lookup)(blocks, address) : NULL;
    return block ? block->size : 0;
}

Addr hs_custom_meant(Addr address) {
    const struct custom *block;
    SizeT nearest = hs_options.redzone + 1;
    Addr meant = 0;
    if (!blocks)
        return 0;
    VG_(HT_ResetIter)(blocks);
    while ((block = VG_(HT_Next)(blocks)))
        if (distance(block, address) < nearest && stands(block)) {
            nearest = distance(block, address);
            meant = block->node.key;
        }
    return meant;
}

/* ---- layers ---- */

static struct hs_watcher watcher;

static const struct hs_call_note *layer(ThreadId tid) {
    return n_functions ? hs_watched_call(&watcher, tid, VG_(get_SP)(tid)) : NULL;
}

Bool hs_custom_has_redzone(void) {
    const struct hs_call_note *note = layer(VG_(get_running_tid)());
    return note && note->extra;
}

static Bool is_inside(ThreadId tid) {
    return layer(tid) != NULL;
}

/* The outermost one asks for a redzone more. */
static void adjust(struct hs_call_note *note, ULong *arguments) {
    const struct function *f = &functions[note->number];
    ULong *size = &arguments[f->size - 1];
    if (!hs_checking() || f->frees || !f->sized || hs_watched_call(&watcher, note->tid, note->sp))
        return;
    if (f->count) {
        ULong each = arguments[f->count - 1], more;
        if (!each)
            return;
        more = (hs_options.redzone + each - 1) / each;
        note->extra = more * each;
        *size += more;
    } else {
        note->extra = hs_options.redzone;
        *size += note->extra;
    }
}

/* ---- calls ---- */

static void parse(const HChar *option, const HChar *text, Bool frees) {
    struct function *f = &functions[n_functions++];
    HChar *name = VG_(strdup)("hs.function", text), *mark = VG_(strrchr)(name, ':'), *rest;
    f->size = 1;
    f->frees = frees;
    f->name = name;
    if (mark && mark[1] >= '0' && mark[1] <= '9' && (mark == name || mark[-1] != ':')) {
        f->sized = True;
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
    struct custom *block = blocks ? VG_(HT_lookup)(blocks, address) : NULL;
    if (address == 0)
        return;
    if (block && hs_checking())
        end_block(block);
    else
        forget_block(address);
    hs_record(HSW_FREE_BLOCK, address, (ULong)HSW_CUSTOM << 56);
}

/* Whether its return is of interest. */
static Bool entered(const struct hs_call_note *note) {
    struct function *f = &functions[note->number];
    Bool outermost = !hs_watched_call(&watcher, note->tid, note->sp);
    f->called = True;
    if (f->frees && (outermost || !hs_checking()))
        freed(note->argument[f->size - 1]);
    return !f->frees || hs_checking();
}

static void allocated(Addr address, SizeT size) {
    if (address == 0)
        return;
    if (!hs_live_find(address)) /* else a wrapper's block, which malloc has entered already */
        keep_block(address, size);
    hs_custom_pages_on(address, size);
    hs_record(HSW_ALLOC, address, size | (ULong)HSW_CUSTOM << 56);
}

static struct custom *begin(Addr address, SizeT size, SizeT redzone, Bool defined, UInt kind) {
    struct custom *block = keep_block(address, size);
    if (defined && hs_states)
        hs_set_states(address, size, HS_DEFINED);
    else
        hs_make_addressable(address, size);
    hs_make_unaddressable(address + size, redzone);
    hs_custom_pages_on(address, size);
    hs_record(HSW_ALLOC, address, size | (ULong)kind << 56);
    return block;
}

/* A block of the outermost layer, with a redzone if it was asked for. */
static void allocated_checked(Addr address, SizeT size, SizeT extra) {
    ULong *inner = hs_live_find(address);
    SizeT whole = inner ? hs_live_size(*inner) : 0;
    if (address == 0)
        return;
    if (inner && !extra) { /* a wrapper's: malloc knows the size */
        hs_record(HSW_ALLOC, address, whole | (ULong)HSW_CUSTOM << 56);
        return;
    }
    if (whole >= size + extra && whole - size - extra < ROUNDED) {
        *inner = hs_live_word(size, hs_live_class(*inner), hs_live_allocator(*inner));
        hs_make_unaddressable(address + size, whole - size);
        hs_record(HSW_ALLOC, address, size | (ULong)HSW_CUSTOM_SIZED << 56);
        return;
    }
    /* Who made it may have filled it. */
    begin(address, size, extra, True, HSW_CUSTOM_OWN);
}

static void returned(const struct hs_call_note *note, ULong result, Bool used) {
    const struct function *f = &functions[note->number];
    SizeT size = note->argument[f->size - 1];
    if (f->count)
        size *= note->argument[f->count - 1];
    if (f->frees)
        return;
    if (!hs_checking())
        allocated(result, size);
    else if (!hs_watched_call(&watcher, note->tid, note->sp)) /* it was the outermost */
        allocated_checked(result, size, note->extra);
}

/* ---- blocks that the program tells of ---- */

void hs_tell_request(void) {
    ThreadId tid = VG_(get_running_tid)();
    hs_record(HSW_REQUEST, VG_(get_SP)(tid), VG_(get_IP)(tid) - 1);
}

void hs_custom_begin(Addr address, SizeT size, SizeT redzone, Bool zeroed, Addr pool) {
    struct custom *block;
    if (!address)
        return;
    hs_tell_request();
    block = begin(address, size, redzone, zeroed, HSW_CUSTOM_TOLD);
    block->pool = pool;
    block->told = True;
    hs_make_unaddressable(address - redzone, redzone);
}

static struct custom *told_block(Addr address) {
    struct custom *block = blocks ? VG_(HT_lookup)(blocks, address) : NULL;
    return block && !block->freed ? block : NULL;
}

Bool hs_custom_free(Addr address) {
    if (!told_block(address))
        return False;
    hs_tell_request();
    freed(address);
    return True;
}

Bool hs_custom_is_told(Addr address) {
    const struct custom *block = told_block(address);
    return block && block->told;
}

void hs_custom_freed_by(Addr address, UInt allocator) {
    end_block(told_block(address));
    hs_record(HSW_FREE_BLOCK, address, (ULong)allocator << 56);
}

Bool hs_custom_resize(Addr address, SizeT size, SizeT redzone) {
    struct custom *block = told_block(address);
    SizeT before = block ? block->size : 0;
    Addr pool = block ? block->pool : 0;
    if (!block)
        return False;
    forget_block(address);
    block = keep_block(address, size);
    block->pool = pool;
    block->told = True;
    if (size > before)
        hs_make_addressable(address + before, size - before);
    else
        hs_make_unaddressable(address + size, before - size);
    hs_make_unaddressable(address + size, redzone);
    hs_tell_request();
    hs_record(HSW_FREE_BLOCK, address, (ULong)HSW_CUSTOM << 56);
    hs_tell_request();
    hs_record(HSW_ALLOC, address, size | (ULong)HSW_CUSTOM_TOLD << 56);
    return True;
}

void hs_custom_end(Addr pool, Addr start, SizeT length) {
    struct custom *block;
    if (!blocks)
        return;
    VG_(HT_ResetIter)(blocks);
    while ((block = VG_(HT_Next)(blocks)))
        if (block->pool == pool && !block->freed &&
            (block->node.key < start || block->node.key + block->size > start + length)) {
            hs_tell_request();
            freed(block->node.key);
        }
}

void hs_custom_rename(Addr pool, Addr to) {
    struct custom *block;
    if (!blocks)
        return;
    VG_(HT_ResetIter)(blocks);
    while ((block = VG_(HT_Next)(blocks)))
        if (block->pool == pool)
            block->pool = to;
}

static Int find(Addr code, const HChar *name) {
    for (UInt i = 0; name && i < n_functions; i++)
        if (hs_same_function(functions[i].name, name))
            return i;
    return -1;
}

static struct hs_watcher watcher = {find, entered, returned, adjust, True};

void hs_custom_start(void) {
    XArray *lists[2] = {hs_options.alloc_functions, hs_options.free_functions};
    UInt total = 0;
    for (UInt k = 0; k < 2; k++)
        total += lists[k] ? VG_(sizeXA)(lists[k]) : 0;
    functions = VG_(calloc)("hs.functions", total + 1, sizeof *functions);
    for (UInt k = 0; k < 2; k++)
        for (Word i = 0; lists[k] && i < VG_(sizeXA)(lists[k]); i++)
            parse(k ? "--free-fn" : "--alloc-fn", *(const HChar **)VG_(indexXA)(lists[k], i), k);
    if (!n_functions)
        return;
    hs_watch(&watcher);
    if (hs_checking())
        hs_hide_errors(is_inside);
}

/* Read by those who named them: see recording/folder.py. */
void hs_custom_finish(void) {
    for (UInt i = 0; i < n_functions; i++)
        if (!functions[i].called)
            VG_(fmsg)("%d: %s was never called\n", VG_(getpid)(), functions[i].name);
}
