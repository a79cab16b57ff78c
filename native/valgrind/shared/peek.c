/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading memory of the program that may not be there: what Valgrind knows as mapped and readable
 * still faults behind the end of the mapped file, which may be empty, or shrink at any time. The
 * kernel is asked to copy it: it answers with an error where a load would be a fault of the tool.
 */
#include "shared/peek.h"

#include "shared/syscalls.h"

#define PROCESS_VM_READV 310
#define PAGES_AT_ONCE 1024 /* IOV_MAX */

struct vector {
    void *start;
    SizeT length;
};

static Word copy_by_kernel(void *to, Addr from, SizeT length) {
    struct vector local = {to, length}, remote = {(void *)from, length};
    return hs_syscall(PROCESS_VM_READV, VG_(getpid)(), (UWord)&local, 1, (UWord)&remote, 1, 0);
}

Bool hs_peek(void *to, Addr from, SizeT length) {
    Word copied = copy_by_kernel(to, from, length);
    if (copied == -VKI_ENOSYS || copied == -VKI_EPERM) { /* not allowed in this container */
        if (!VG_(am_is_valid_for_client)(from, length, VKI_PROT_READ))
            return False;
        VG_(memcpy)(to, (const void *)from, length);
        return True;
    }
    return copied == (Word)length;
}

/* One byte of each page; how many of `n` pages can be read before one that cannot. */
static Word readable_pages(const struct vector *pages, UInt n) {
    static UChar bytes[PAGES_AT_ONCE];
    struct vector local = {bytes, n};
    Word copied = hs_syscall(PROCESS_VM_READV, VG_(getpid)(), (UWord)&local, 1, (UWord)pages, n, 0);
    if (copied == -VKI_ENOSYS || copied == -VKI_EPERM)
        for (copied = 0; copied < n; copied++)
            if (!VG_(am_is_valid_for_client)((Addr)pages[copied].start, 1, VKI_PROT_READ))
                break;
    return copied < 0 ? 0 : copied;
}

Addr hs_readable_end(Addr from, Addr end) {
    static struct vector pages[PAGES_AT_ONCE];
    while (from < end) {
        UInt n = 0;
        Word readable;
        for (; from < end && n < PAGES_AT_ONCE; from = VG_PGROUNDDN(from) + VKI_PAGE_SIZE)
            pages[n++] = (struct vector){(void *)from, 1};
        readable = readable_pages(pages, n);
        if (readable < n)
            return (Addr)pages[readable].start;
    }
    return end;
}

#define SHORT (1u << 20)

SizeT hs_until_fault(Addr start, SizeT length) {
    Addr end = start;
    const NSegment *segment;
    if (length <= SHORT)
        return length;
    while (end - start < length && (segment = VG_(am_find_nsegment)(end)) && segment->hasR)
        end = segment->end + 1;
    return end - start < length ? end - start : length;
}
