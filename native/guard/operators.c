/* operator new and delete of C++ in all forms, by their mangled names.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "allocate.h"
#include "marks.h"

#include <dlfcn.h>

typedef void *new_function(size_t);
typedef void *aligned_new_function(size_t, size_t);

/* No memory: the library's own operator calls the new handler and throws. It asks malloc, so what
 * it may get after all is a block already. */
static __attribute__((noinline, cold)) void *or_throw(const char *name, size_t size, size_t align,
                                                      enum mark kind) {
    void *next = dlsym(RTLD_NEXT, name);
    if (!next)
        return NULL;
    void *made = align ? ((aligned_new_function *)next)(size, align) : ((new_function *)next)(size);
    if (made)
        *mark_of(made) = (uint8_t)kind;
    return made;
}

#define NEW(name, kind)                                                                            \
    EXPORT void *name(size_t size);                                                                \
    EXPORT void *name(size_t size) {                                                               \
        void *made = guard_make(size, kind, CALLER);                                               \
        return likely(made != NULL) ? made : or_throw(#name, size, 0, kind);                       \
    }                                                                                              \
    EXPORT void *name##RKSt9nothrow_t(size_t size, const void *nothrow);                           \
    EXPORT void *name##RKSt9nothrow_t(size_t size, const void *nothrow) {                          \
        (void)nothrow;                                                                             \
        return guard_make(size, kind, CALLER);                                                     \
    }                                                                                              \
    EXPORT void *name##St11align_val_t(size_t size, size_t align);                                 \
    EXPORT void *name##St11align_val_t(size_t size, size_t align) {                                \
        void *made = guard_aligned(align, size, kind, CALLER);                                     \
        return likely(made != NULL) ? made : or_throw(#name "St11align_val_t", size, align, kind); \
    }                                                                                              \
    EXPORT void *name##St11align_val_tRKSt9nothrow_t(size_t size, size_t align, const void *no);   \
    EXPORT void *name##St11align_val_tRKSt9nothrow_t(size_t size, size_t align, const void *no) {  \
        (void)no;                                                                                  \
        return guard_aligned(align, size, kind, CALLER);                                           \
    }
NEW(_Znwm, MARK_NEW)
NEW(_Znam, MARK_NEW_ARRAY)
extern new_function guard_new __attribute__((alias("_Znwm"), visibility("hidden")));

/* Every delete takes the block first; sizes and alignments say nothing new. */
#define DELETE(name, kind)                                                                         \
    EXPORT void name(void *user);                                                                  \
    EXPORT void name(void *user) {                                                                 \
        guard_unmake(user, kind, CALLER);                                                          \
    }
#define DELETES(name, kind)                                                                        \
    DELETE(name, kind)                                                                             \
    DELETE(name##m, kind)                                                                          \
    DELETE(name##RKSt9nothrow_t, kind)                                                             \
    DELETE(name##St11align_val_t, kind)                                                            \
    DELETE(name##mSt11align_val_t, kind)                                                           \
    DELETE(name##St11align_val_tRKSt9nothrow_t, kind)
DELETES(_ZdlPv, MARK_NEW)
DELETES(_ZdaPv, MARK_NEW_ARRAY)
