/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of the preload object: pvalloc, which Valgrind's replacements refuse, and operator new when
 * there is no memory. Valgrind's replacements end the
 * program there; these do what C++ asks for: call the new handler while there is one, and throw
 * std::bad_alloc otherwise. Whether memory is there is asked of Valgrind's replacements that do not
 * throw. The C++ library is the program's own; where it cannot be found from here (it was opened
 * with dlopen), Valgrind's replacement has the last word.
 */
#include "pub_tool_basics.h"
#include "pub_tool_redir.h"

typedef void Throw(void) __attribute__((noreturn));
typedef void Handler(void);

__attribute__((weak)) Throw throw_libstdcxx __asm__("_ZSt17__throw_bad_allocv");
__attribute__((weak)) Throw throw_libcxx __asm__("_ZNSt3__117__throw_bad_allocEv");
__attribute__((weak)) extern Handler *new_handler(void) __asm__("_ZSt15get_new_handlerv");

/* True to ask again; False where nothing here can throw. */
static Bool handle_failure(void) {
    Handler *handler = new_handler ? new_handler() : NULL;
    if (handler) {
        handler();
        return True;
    }
    if (throw_libstdcxx)
        throw_libstdcxx();
    if (throw_libcxx)
        throw_libcxx();
    return False;
}

#define REPLACEMENT(class, soname, function) VG_REPLACE_FUNCTION_EZU(class, soname, function)

#define PLAIN_NEW(soname, function, nothrow, name)                                                 \
    void *REPLACEMENT(10010, soname, nothrow)(SizeT);                                              \
    void *REPLACEMENT(10030, soname, function)(SizeT);                                             \
    void *name(SizeT size) {                                                                       \
        do {                                                                                       \
            void *block = REPLACEMENT(10010, soname, nothrow)(size);                               \
            if (block)                                                                             \
                return block;                                                                      \
        } while (handle_failure());                                                                \
        return REPLACEMENT(10030, soname, function)(size);                                         \
    }
#define ALIGNED_NEW(soname, function, nothrow)                                                     \
    void *REPLACEMENT(10010, soname, nothrow)(SizeT, SizeT);                                       \
    void *REPLACEMENT(10030, soname, function)(SizeT, SizeT);                                      \
    void *REPLACEMENT(10039, soname, function)(SizeT size, SizeT alignment) {                      \
        do {                                                                                       \
            void *block = REPLACEMENT(10010, soname, nothrow)(size, alignment);                    \
            if (block)                                                                             \
                return block;                                                                      \
        } while (handle_failure());                                                                \
        return REPLACEMENT(10030, soname, function)(size, alignment);                              \
    }

void *REPLACEMENT(10110, VG_Z_LIBC_SONAME, memalign)(SizeT, SizeT);
void *REPLACEMENT(10199, VG_Z_LIBC_SONAME, pvalloc)(SizeT);
void *REPLACEMENT(10199, VG_Z_LIBC_SONAME, pvalloc)(SizeT size) {
    const SizeT page = 4096;
    return REPLACEMENT(10110, VG_Z_LIBC_SONAME, memalign)(page, (size + page - 1) & ~(page - 1));
}

/* Those of libstdc++ have a quick form (preload.c), which comes here when it got nothing. */
PLAIN_NEW(VG_Z_LIBSTDCXX_SONAME, _Znwm, _ZnwmRKSt9nothrow_t, heapstory_new)
PLAIN_NEW(VG_Z_LIBSTDCXX_SONAME, _Znam, _ZnamRKSt9nothrow_t, heapstory_new_array)
PLAIN_NEW(VG_Z_LIBCXX_SONAME, _Znwm, _ZnwmRKSt9nothrow_t,
          REPLACEMENT(10039, VG_Z_LIBCXX_SONAME, _Znwm))
PLAIN_NEW(VG_Z_LIBCXX_SONAME, _Znam, _ZnamRKSt9nothrow_t,
          REPLACEMENT(10039, VG_Z_LIBCXX_SONAME, _Znam))
ALIGNED_NEW(VG_Z_LIBSTDCXX_SONAME, _ZnwmSt11align_val_t, _ZnwmSt11align_val_tRKSt9nothrow_t)
ALIGNED_NEW(VG_Z_LIBSTDCXX_SONAME, _ZnamSt11align_val_t, _ZnamSt11align_val_tRKSt9nothrow_t)
ALIGNED_NEW(VG_Z_LIBCXX_SONAME, _ZnwmSt11align_val_t, _ZnwmSt11align_val_tRKSt9nothrow_t)
ALIGNED_NEW(VG_Z_LIBCXX_SONAME, _ZnamSt11align_val_t, _ZnamSt11align_val_tRKSt9nothrow_t)
