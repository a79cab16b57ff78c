/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C library's functions that copy and fill memory, and the way into malloc and free without the
 * scheduler: done by the tool, natively, and as one ranged operation. Each works directly on the
 * program's memory; a fault inside is the program's own (the core sees that generated code is
 * running) and finds the operation in `pending`, from where the part already written is sent before
 * the signal is.
 *
 * All of these behave as Debian 12's glibc for valid arguments;
 * memcpy is memmove there too.
 */
#include "functions/functions.h"
#include "functions/string_lengths.h"
#include "preload/stubs.h"
#include "shared/addressable.h"
#include "shared/errors.h"
#include "shared/listeners.h"
#include "shared/pages.h"
#include "shared/peek.h"
#include "shared/ranges.h"
#include "shared/sites.h"
#include "walk/ir.h"

struct hs_pending hs_pending;
struct hs_target hs_target;

void hs_send_pending(void) {
    Addr start = hs_pending.start, end = start + hs_pending.length;
    hs_pending.length = 0;
    while (start < end) {
        Addr stop = VG_PGROUNDDN(start) + VKI_PAGE_SIZE;
        if (stop > end)
            stop = end;
        UChar first;
        if (hs_recording() && hs_peek(&first, start, 1))
            hs_range(start, stop - start, HSW_RANGE_COPY, hs_pending.site);
        start = stop;
    }
}

/* An address that cannot exist is another signal where a compiler uses rbp for it. */
static inline void touch(const void *from) {
    __asm__ volatile("testb $0, (%0)" : : "a"(from) : "cc", "memory");
}

static inline Bool begin(void *start, SizeT length, ULong site) {
    hs_target = (struct hs_target){(Addr)start, length};
    touch(start);
    if (!hs_recording() || !(hs_page_is_on((Addr)start) || length > VKI_PAGE_SIZE ||
                             hs_page_is_on((Addr)start + length)))
        return False;
    hs_pending.start = (Addr)start;
    hs_pending.site = site;
    hs_pending.length = hs_until_fault((Addr)start, length);
    return True;
}

static void copy(UChar *to, const UChar *from, SizeT length, ULong site) {
    if (length == 0)
        return;
    HS_TELL(moved, (Addr)to, (Addr)from, length, site);
    HS_TELL(reads, (Addr)from, length, site);
    HS_TELL(overwrites, (Addr)to, length, site);
    if (begin(to, length, site)) {
        hs_move(to, from, length);
        hs_pending.length = 0;
        hs_range((Addr)to, length, HSW_RANGE_COPY, site);
    } else
        hs_move(to, from, length);
}

static void fill(UChar *to, UChar byte, SizeT length, ULong site) {
    if (length == 0)
        return;
    HS_TELL(moved, (Addr)to, 0, length, site);
    if (begin(to, length, site)) {
        hs_set(to, byte, length);
        hs_pending.length = 0;
        hs_fill((Addr)to, length, byte, site);
    } else
        hs_set(to, byte, length);
}

/* Copy then zeros, as one operation. */
static void copy_and_pad(UChar *to, const UChar *from, SizeT length, SizeT total, ULong site) {
    Bool told;
    if (total == 0)
        return;
    /* Told first, the zeros are not placed by what the copy writes. */
    if (total > length)
        HS_TELL(moved, (Addr)to + length, 0, total - length, site);
    if (length)
        HS_TELL(moved, (Addr)to, (Addr)from, length, site);
    told = begin(to, total, site);
    hs_move(to, from, length);
    hs_set(to + length, 0, total - length);
    hs_pending.length = 0;
    if (told)
        hs_range((Addr)to, total, HSW_RANGE_COPY, site);
}

/* The result comes from these bytes as well. */
static void result_from(const void *start, SizeT length) {
    if (length > 0)
        HS_TELL(result_from, (Addr)start, length);
}

#define FUNCTION(name) static ULong name(UChar *d, UChar *s, SizeT n, SizeT limit, ULong site)

FUNCTION(do_memmove) {
    copy(d, s, n, site);
    return (ULong)d;
}

/* Copying a thing to itself is what compilers do for assignments. */
static void check_overlap(const UChar *d, SizeT written, const UChar *s, SizeT read, ULong site) {
    struct hs_error error = {
        .kind = HSW_OVERLAP, .address = (Addr)d, .bytes = read, .site = (UInt)site};
    if (hs_checking() && d != s && d < s + read && s < d + written)
        hs_tell_error(&error);
}

FUNCTION(do_memcpy) {
    check_overlap(d, n, s, n, site);
    copy(d, s, n, site);
    return (ULong)d;
}

FUNCTION(do_mempcpy) {
    check_overlap(d, n, s, n, site);
    copy(d, s, n, site);
    return (ULong)(d + n);
}

FUNCTION(do_memset) {
    fill(d, (UChar)(ULong)s, n, site);
    return (ULong)d;
}

FUNCTION(do_bzero) {
    fill(d, 0, (SizeT)s, site);
    return 0;
}

FUNCTION(do_bcopy) { /* the source comes first */
    copy(s, d, n, site);
    return 0;
}

FUNCTION(do_memccpy) { /* n is the byte, limit the size */
    SizeT i = 0;
    while (i < limit && s[i] != (UChar)n)
        i++;
    copy(d, s, i < limit ? i + 1 : limit, site);
    result_from(s, i < limit ? i + 1 : limit);
    return i < limit ? (ULong)(d + i + 1) : 0;
}

FUNCTION(do_strcpy) {
    SizeT length = hs_length_of(s);
    check_overlap(d, length + 1, s, length + 1, site);
    copy(d, s, length + 1, site);
    return (ULong)d;
}

FUNCTION(do_stpcpy) {
    SizeT length = hs_length_of(s);
    check_overlap(d, length + 1, s, length + 1, site);
    copy(d, s, length + 1, site);
    result_from(s, length + 1);
    return (ULong)(d + length);
}

/* Returns the length of the string. */
static SizeT copy_within(UChar *d, const UChar *s, SizeT n, ULong site) {
    SizeT length = hs_length_within(s, n);
    check_overlap(d, n, s, length < n ? length + 1 : n, site);
    copy_and_pad(d, s, length, n, site);
    return length;
}

FUNCTION(do_strncpy) {
    copy_within(d, s, n, site);
    return (ULong)d;
}

FUNCTION(do_stpncpy) {
    SizeT length = copy_within(d, s, n, site);
    result_from(s, length < n ? length + 1 : n);
    return (ULong)(d + length);
}

/* Where the next copies go is known from these bytes; none: from registers alone. */
static void placed_by(const void *start, SizeT length) {
    HS_TELL(placed_by, (Addr)start, length);
}

FUNCTION(do_strcat) {
    SizeT before = hs_length_of(d), length = hs_length_of(s);
    HS_TELL(looked, (Addr)d, before + 1, site);
    check_overlap(d, before + length + 1, s, length + 1, site);
    placed_by(d, before + 1);
    copy(d + before, s, length + 1, site);
    placed_by(d, 0);
    return (ULong)d;
}

FUNCTION(do_strncat) {
    SizeT before = hs_length_of(d), length = hs_length_within(s, n);
    HS_TELL(looked, (Addr)d, before + 1, site);
    check_overlap(d, before + length + 1, s, length < n ? length + 1 : n, site);
    placed_by(d, before + 1);
    copy_and_pad(d + before, s, length, length + 1, site);
    placed_by(d, 0);
    return (ULong)d;
}

FUNCTION(do_strlcpy) {
    SizeT length = hs_length_of(s);
    if (n > 0)
        copy_and_pad(d, s, length < n ? length : n - 1, length < n ? length + 1 : n, site);
    result_from(s, length + 1);
    return length;
}

FUNCTION(do_strlcat) {
    SizeT before = hs_length_within(d, n), length;
    result_from(d, before == n ? n : before + 1);
    if (before == n) {
        length = hs_length_of(s);
        result_from(s, length + 1);
        return n + length;
    }
    placed_by(d, before + 1);
    length = do_strlcpy(d + before, s, n - before, 0, site);
    placed_by(d, 0);
    return before + length;
}

FUNCTION(do_wmemmove) {
    copy(d, s, 4 * n, site);
    return (ULong)d;
}

FUNCTION(do_wmempcpy) {
    copy(d, s, 4 * n, site);
    return (ULong)(d + 4 * n);
}

FUNCTION(do_wmemset) {
    Bool told = n > 0 && begin(d, 4 * n, site);
    if (n > 0)
        HS_TELL(moved, (Addr)d, 0, 4 * n, site);
    for (SizeT i = 0; i < n; i++)
        ((UInt *)d)[i] = (UInt)(ULong)s;
    hs_pending.length = 0;
    if (told)
        hs_range((Addr)d, 4 * n, HSW_RANGE_COPY, site);
    return (ULong)d;
}

FUNCTION(do_wcscpy) {
    copy(d, s, 4 * (hs_wide_length((UInt *)s) + 1), site);
    return (ULong)d;
}

FUNCTION(do_wcsncpy) {
    SizeT length = 0;
    while (length < n && ((UInt *)s)[length])
        length++;
    copy_and_pad(d, s, 4 * length, 4 * n, site);
    return (ULong)d;
}

FUNCTION(do_wcscat) {
    SizeT before = hs_wide_length((UInt *)d);
    placed_by(d, 4 * (before + 1));
    do_wcscpy(d + 4 * before, s, 0, 0, site);
    placed_by(d, 0);
    return (ULong)d;
}

FUNCTION(do_strcpy_chk) {
    return hs_length_of(s) >= n ? 0 : do_strcpy(d, s, 0, 0, site);
}

FUNCTION(do_stpcpy_chk) {
    return hs_length_of(s) >= n ? 0 : do_stpcpy(d, s, 0, 0, site);
}

FUNCTION(do_strcat_chk) {
    return hs_length_of(d) + hs_length_of(s) >= n ? 0 : do_strcat(d, s, 0, 0, site);
}

FUNCTION(do_strncat_chk) {
    return hs_length_of(d) + hs_length_within(s, n) >= limit ? 0 : do_strncat(d, s, n, 0, site);
}

/* The stub asks another function where the answer is 0 (preload.c). */
static ULong quick_answer(void *block) {
    if (!block)
        hs_asked_again();
    return (ULong)block;
}

/* A negative size is an error that is told once: by the slow function. */
static Bool is_negative(const void *size) {
    return (SSizeT)size < 0;
}

FUNCTION(do_malloc) {
    return is_negative(d) ? 0 : quick_answer(hs_malloc(0, (SizeT)d));
}
FUNCTION(do_calloc) {
    return is_negative(d) || is_negative(s) ? 0 : quick_answer(hs_calloc(0, (SizeT)d, (SizeT)s));
}
FUNCTION(do_realloc) {
    if (hs_realloc_is_fatal(d))
        return HS_END_PROGRAM;
    /* of what is no block, or to nothing: the slow function's affair */
    return hs_live_find((Addr)d) && s && !is_negative(s) ? quick_answer(hs_realloc(0, d, (SizeT)s))
                                                         : 0;
}
FUNCTION(do_new) {
    return is_negative(d) ? 0 : quick_answer(hs_new(0, (SizeT)d));
}
FUNCTION(do_new_array) {
    return is_negative(d) ? 0 : quick_answer(hs_new_array(0, (SizeT)d));
}

FUNCTION(do_free) {
    return hs_free_is_fatal(d, HSW_MALLOC) ? HS_END_PROGRAM : 0;
}

FUNCTION(do_delete) {
    return hs_free_is_fatal(d, HSW_NEW) ? HS_END_PROGRAM : 0;
}

FUNCTION(do_delete_array) {
    return hs_free_is_fatal(d, HSW_NEW_ARRAY) ? HS_END_PROGRAM : 0;
}

FUNCTION(do_delete_sized) {
    return hs_sized_free_is_fatal(d, (SizeT)s, HSW_NEW) ? HS_END_PROGRAM : 0;
}

FUNCTION(do_delete_array_sized) {
    return hs_sized_free_is_fatal(d, (SizeT)s, HSW_NEW_ARRAY) ? HS_END_PROGRAM : 0;
}

/* Registers by number, as struct hsw_block has them. */
enum { CX = 1 << 1, DX = 1 << 2, SI = 1 << 6, DI = 1 << 7 };

static const struct hs_string_function functions[HS_FIRST_READER] = {
    [HS_MEMMOVE] = {"hs_memmove", do_memmove, {DI, DI | SI | DX, 0}},
    [HS_MEMPCPY] = {"hs_mempcpy", do_mempcpy, {DI | DX, DI | SI | DX, 0}},
    [HS_MEMSET] = {"hs_memset", do_memset, {DI, DI | DX, SI}},
    [HS_BZERO] = {"hs_bzero", do_bzero, {0, DI | SI, 0}},
    [HS_BCOPY] = {"hs_bcopy", do_bcopy, {0, DI | SI | DX, 0}},
    [HS_MEMCCPY] = {"hs_memccpy", do_memccpy, {DI | DX | CX, DI | SI | DX | CX, 0}},
    [HS_STRCPY] = {"hs_strcpy", do_strcpy, {DI, DI | SI, 0}},
    [HS_STPCPY] = {"hs_stpcpy", do_stpcpy, {DI, DI | SI, 0}},
    [HS_STRNCPY] = {"hs_strncpy", do_strncpy, {DI, DI | SI | DX, 0}},
    [HS_STPNCPY] = {"hs_stpncpy", do_stpncpy, {DI | DX, DI | SI | DX, 0}},
    [HS_STRCAT] = {"hs_strcat", do_strcat, {DI, DI | SI, 0}},
    [HS_STRNCAT] = {"hs_strncat", do_strncat, {DI, DI | SI | DX, 0}},
    [HS_STRLCPY] = {"hs_strlcpy", do_strlcpy, {0, DI | SI | DX, 0}},
    [HS_STRLCAT] = {"hs_strlcat", do_strlcat, {DX, DI | SI | DX, 0}},
    [HS_WMEMMOVE] = {"hs_wmemmove", do_wmemmove, {DI, DI | SI | DX, 0}},
    [HS_WMEMPCPY] = {"hs_wmempcpy", do_wmempcpy, {DI | DX, DI | SI | DX, 0}},
    [HS_WMEMSET] = {"hs_wmemset", do_wmemset, {DI, DI | DX, SI}},
    [HS_WCSCPY] = {"hs_wcscpy", do_wcscpy, {DI, DI | SI, 0}},
    [HS_WCSNCPY] = {"hs_wcsncpy", do_wcsncpy, {DI, DI | SI | DX, 0}},
    [HS_WCSCAT] = {"hs_wcscat", do_wcscat, {DI, DI | SI, 0}},
    [HS_STRCPY_CHK] = {"hs_strcpy_chk", do_strcpy_chk, {DI | DX, DI | SI, 0}},
    [HS_STPCPY_CHK] = {"hs_stpcpy_chk", do_stpcpy_chk, {DI | DX, DI | SI, 0}},
    [HS_STRCAT_CHK] = {"hs_strcat_chk", do_strcat_chk, {DI | DX, DI | SI, 0}},
    [HS_STRNCAT_CHK] = {"hs_strncat_chk", do_strncat_chk, {DI | DX | CX, DI | SI | DX, 0}},
    [HS_MALLOC] = {"hs_malloc", do_malloc, {DI, 0, 0}},
    [HS_CALLOC] = {"hs_calloc", do_calloc, {DI | SI, 0, 0}},
    [HS_REALLOC] = {"hs_realloc", do_realloc, {DI | SI, DI | SI, 0}},
    [HS_NEW] = {"hs_new", do_new, {DI, 0, 0}},
    [HS_NEW_ARRAY] = {"hs_new_array", do_new_array, {DI, 0, 0}},
    [HS_FREE] = {"hs_free", do_free, .looks_at = DI},
    [HS_DELETE] = {"hs_delete", do_delete, .looks_at = DI},
    [HS_DELETE_ARRAY] = {"hs_delete_array", do_delete_array, .looks_at = DI},
    [HS_DELETE_SIZED] = {"hs_delete_sized", do_delete_sized, .looks_at = DI | SI},
    [HS_DELETE_ARRAY_SIZED] = {"hs_delete_array_sized", do_delete_array_sized, .looks_at = DI | SI},
    [HS_MEMCPY] = {"hs_memcpy", do_memcpy, {DI, DI | SI | DX, 0}},
};

/* ---- the pass ---- */

/* Number of the stub at this instruction, or -1. */
static Int stub_at(Addr code, UInt length) {
    const UChar *bytes = (const UChar *)code;
    UInt number;
    if (length != HS_STUB_BYTES || bytes[0] != 0x41 || bytes[1] != 0xBB)
        return -1;
    number = *(const hs_unaligned4 *)(bytes + 2) - HS_STUB;
    return number < HS_STUBS ? (Int)number : -1;
}

static const struct hs_string_function *stub_of(Int number) {
    return number < HS_FIRST_READER ? &functions[number] : &hs_readers[number - HS_FIRST_READER];
}

static Bool examine(struct hs_superblock *b) {
    UInt n = 0;
    for (Int i = 0; b->preload && i < b->in->stmts_used; i++) {
        const IRStmt *s = b->in->stmts[i];
        Int number;
        if (s->tag != Ist_IMark)
            continue;
        n++;
        number = stub_at(s->Ist.IMark.addr, s->Ist.IMark.len);
        if (number >= 0) {
            b->stub = n;
            b->stub_uses = stub_of(number)->uses;
            b->stub_arguments =
                stub_of(number)->looks_at | b->stub_uses.result | b->stub_uses.where;
        }
    }
    return b->preload;
}

static void start_instruction(struct hs_superblock *b) {
    Int number = b->preload ? stub_at(b->instruction, b->length) : -1;
    const struct hs_string_function *stub;
    ULong site;
    IRTemp result;
    if (number < 0)
        return;
    stub = stub_of(number);
    site = hs_new_site(b->instruction, 0, HSW_SITE_RANGED, False);
    result = newIRTemp(b->out->tyenv, Ity_I64);
    hs_call_helper(
        b, unsafeIRDirty_1_N(result, 0, stub->name, VG_(fnptr_to_fnentry)((void *)stub->function),
                             mkIRExprVec_5(hs_get(b, HS_OFFSET_RDI), hs_get(b, HS_OFFSET_RSI),
                                           hs_get(b, HS_OFFSET_RDX), hs_get(b, HS_OFFSET_RCX),
                                           hs_const(site))));
    hs_stmt(b, IRStmt_Put(HS_OFFSET_RAX, IRExpr_RdTmp(result)));
}

const struct hs_pass hs_string_pass = {.examine = examine, .start_instruction = start_instruction};
