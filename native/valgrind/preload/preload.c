/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preload object. Valgrind's replacements of the allocation family are linked in whole; this
 * file adds stubs for the C library's functions that copy and fill memory. The tool recognises a
 * stub when it translates it and does the work itself, as one operation (see strings.c).
 *
 * With HS_STRINGS_ONLY the allocation family is left out (modes portable and internals). With
 * HS_CHECKER the functions that only read are there too: the C library's own read words that reach
 * beyond the end of a string, which is no error of the program.
 *
 * A checking function (_chk) whose check fails ends in the C library's own __chk_fail. Functions
 * that are not replaced are recorded store by store, which is right as well, only slower.
 */
#include "pub_tool_basics.h"
#include "pub_tool_redir.h"

#include "preload/stubs.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define NAME(soname, function) TEXT(VG_REPLACE_FUNCTION_EZU(20380, soname, function))
#define ZNAME(soname, function) TEXT(VG_REPLACE_FUNCTION_EZZ(20380, soname, function))

#define BEGIN(name) ".text\n.p2align 4\n.globl " name "\n.type " name ",@function\n" name ":\n"
#define END(name) ".size " name ", .-" name "\n"
#define WORK(number) "movl $" TEXT(HS_STUB) " + " TEXT(number) ", %r11d\n"

#define PLAIN(name, number) __asm__(BEGIN(name) WORK(number) "ret\n" END(name))
/* size in rdx must not exceed the destination's in rcx */
#define CHECK_SIZE(name, number)                                                                   \
    __asm__(BEGIN(name) "cmpq %rdx, %rcx\njb heapstory_chk_fail\n" WORK(number) "ret\n" END(name))
/* the tool checks, and answers 0 */
#define CHECK_RESULT(name, number)                                                                 \
    __asm__(BEGIN(name) WORK(number) "testq %rax, %rax\njz heapstory_chk_fail\nret\n" END(name))

__asm__(".weak __chk_fail\n.hidden heapstory_chk_fail\n.type heapstory_chk_fail,@function\n"
        "heapstory_chk_fail:\n"
        "movq __chk_fail@GOTPCREL(%rip), %rax\ntestq %rax, %rax\njz 1f\njmp *%rax\n1: ud2\n"
        ".size heapstory_chk_fail, .-heapstory_chk_fail\n");

#define LIBC(function, number) PLAIN(NAME(VG_Z_LIBC_SONAME, function), number)
#define LIBC_SIZE(function, number) CHECK_SIZE(NAME(VG_Z_LIBC_SONAME, function), number)
#define LIBC_RESULT(function, number) CHECK_RESULT(NAME(VG_Z_LIBC_SONAME, function), number)
#define LINKER(function, number) PLAIN(NAME(VG_Z_LD_LINUX_X86_64_SO_2, function), number)

PLAIN(ZNAME(VG_Z_LIBC_SONAME, memcpyZAGLIBCZu2Zd2Zd5), HS_MEMMOVE);
PLAIN(ZNAME(VG_Z_LIBC_SONAME, memcpyZAZAGLIBCZu2Zd14), HS_MEMMOVE);
LIBC(memcpy, HS_MEMMOVE);
LIBC(memmove, HS_MEMMOVE);
LIBC(mempcpy, HS_MEMPCPY);
LIBC(__mempcpy, HS_MEMPCPY);
LIBC(memset, HS_MEMSET);
LIBC(bzero, HS_BZERO);
LIBC(explicit_bzero, HS_BZERO);
LIBC(bcopy, HS_BCOPY);
LIBC(memccpy, HS_MEMCCPY);
LIBC(__memccpy, HS_MEMCCPY);
LIBC(strcpy, HS_STRCPY);
LIBC(stpcpy, HS_STPCPY);
LIBC(__stpcpy, HS_STPCPY);
LIBC(strncpy, HS_STRNCPY);
LIBC(stpncpy, HS_STPNCPY);
LIBC(__stpncpy, HS_STPNCPY);
LIBC(strcat, HS_STRCAT);
LIBC(strncat, HS_STRNCAT);
LIBC(strlcpy, HS_STRLCPY);
LIBC(strlcat, HS_STRLCAT);
LIBC(wmemcpy, HS_WMEMMOVE);
LIBC(wmemmove, HS_WMEMMOVE);
LIBC(wmempcpy, HS_WMEMPCPY);
LIBC(wmemset, HS_WMEMSET);
LIBC(wcscpy, HS_WCSCPY);
LIBC(wcsncpy, HS_WCSNCPY);
LIBC(wcscat, HS_WCSCAT);

/* The functions the choosers (ifunc) of Debian 12's C library end in, where debug symbols name
 * them. */
LIBC(__GI_memcpy, HS_MEMMOVE);
LIBC(__memcpy_sse2_unaligned, HS_MEMMOVE);
LIBC(__memcpy_sse2_unaligned_erms, HS_MEMMOVE);
LIBC(__memcpy_avx_unaligned, HS_MEMMOVE);
LIBC(__memcpy_avx_unaligned_erms, HS_MEMMOVE);
LIBC(__memmove_sse2_unaligned_erms, HS_MEMMOVE);
LIBC(__memmove_avx_unaligned_erms, HS_MEMMOVE);
LIBC(__memset_sse2_unaligned_erms, HS_MEMSET);
LIBC(__memset_avx2_unaligned_erms, HS_MEMSET);

LIBC_SIZE(__memcpy_chk, HS_MEMMOVE);
LIBC_SIZE(__memmove_chk, HS_MEMMOVE);
LIBC_SIZE(__mempcpy_chk, HS_MEMPCPY);
LIBC_SIZE(__memset_chk, HS_MEMSET);
LIBC_SIZE(__strncpy_chk, HS_STRNCPY);
LIBC_SIZE(__stpncpy_chk, HS_STPNCPY);
LIBC_RESULT(__strcpy_chk, HS_STRCPY_CHK);
LIBC_RESULT(__stpcpy_chk, HS_STPCPY_CHK);
LIBC_RESULT(__strcat_chk, HS_STRCAT_CHK);
LIBC_RESULT(__strncat_chk, HS_STRNCAT_CHK);

LINKER(memcpy, HS_MEMMOVE);
LINKER(memmove, HS_MEMMOVE);
LINKER(mempcpy, HS_MEMPCPY);
LINKER(__mempcpy, HS_MEMPCPY);
LINKER(memset, HS_MEMSET);
LINKER(stpcpy, HS_STPCPY);

#ifdef HS_CHECKER
/* The C library's memcpy is its memmove, one piece of code, which cannot be told apart there: those
 * who call memcpy by name find this one first. */
PLAIN("memcpy", HS_MEMCPY);
CHECK_SIZE("__memcpy_chk", HS_MEMCPY);

LIBC(strlen, HS_STRLEN);
LIBC(strnlen, HS_STRNLEN);
LIBC(__strnlen, HS_STRNLEN);
LIBC(strchr, HS_STRCHR);
LIBC(index, HS_STRCHR);
LIBC(strchrnul, HS_STRCHRNUL);
LIBC(__strchrnul, HS_STRCHRNUL);
LIBC(strrchr, HS_STRRCHR);
LIBC(rindex, HS_STRRCHR);
LIBC(rawmemchr, HS_RAWMEMCHR);
LIBC(__rawmemchr, HS_RAWMEMCHR);
LIBC(memchr, HS_MEMCHR);
LIBC(memrchr, HS_MEMRCHR);
LIBC(__memrchr, HS_MEMRCHR);
LIBC(memcmp, HS_MEMCMP);
LIBC(bcmp, HS_MEMCMP);
LIBC(__memcmpeq, HS_MEMCMP);
LIBC(strcmp, HS_STRCMP);
LIBC(strncmp, HS_STRNCMP);
LIBC(strspn, HS_STRSPN);
LIBC(strcspn, HS_STRCSPN);
LIBC(strpbrk, HS_STRPBRK);
LIBC(strstr, HS_STRSTR);
LIBC(wcslen, HS_WCSLEN);
LIBC(wcsnlen, HS_WCSNLEN);
LIBC(wcschr, HS_WCSCHR);
LIBC(wcsrchr, HS_WCSRCHR);
LIBC(wcscmp, HS_WCSCMP);
LIBC(wcsncmp, HS_WCSNCMP);
LIBC(wmemchr, HS_WMEMCHR);
LIBC(wmemcmp, HS_WMEMCMP);
LINKER(strlen, HS_STRLEN);
LINKER(strnlen, HS_STRNLEN);
LINKER(strchr, HS_STRCHR);
LINKER(index, HS_STRCHR);
LINKER(strcmp, HS_STRCMP);
LINKER(strncmp, HS_STRNCMP);
LINKER(strcspn, HS_STRCSPN);
LINKER(memcmp, HS_MEMCMP);
LINKER(rawmemchr, HS_RAWMEMCHR);
#endif

#ifndef HS_STRINGS_ONLY
/* Same class as Valgrind's replacement (the first four digits), higher priority (the last). When
 * the tool answers 0, another does it again: Valgrind's, which knows errno, or operator_new.c. */
#define QUICK_NAME(class, soname, function)                                                        \
    TEXT(VG_REPLACE_FUNCTION_EZU(class##9, soname, function))
#define SLOW_NAME(class, soname, function) TEXT(VG_REPLACE_FUNCTION_EZU(class##0, soname, function))
#define OR_SLOW(name, number, slow)                                                                \
    __asm__(BEGIN(name) WORK(number) "testq %rax, %rax\njz " slow "@PLT\nret\n" END(name))
#define QUICK_GET(class, soname, function, number)                                                 \
    OR_SLOW(QUICK_NAME(class, soname, function), number, SLOW_NAME(class, soname, function))
#define QUICK_NEW(function, number, slow)                                                          \
    OR_SLOW(QUICK_NAME(1003, VG_Z_LIBSTDCXX_SONAME, function), number, slow)
/* cmpq sets the flags from 1, 0 or an address: below, at or above HS_END_PROGRAM */
#define QUICK_REALLOC(name, slow)                                                                  \
    __asm__(BEGIN(name) WORK(HS_REALLOC) "cmpq $" TEXT(                                            \
        HS_END_PROGRAM) ", %rax\njb " slow "@PLT\nje heapstory_abort\nret\n" END(name))
#define QUICK_PUT_NAME(name, number)                                                               \
    __asm__(BEGIN(name) WORK(number) "testq %rax, %rax\njnz heapstory_abort\nret\n" END(name))
#define QUICK_PUT(class, soname, function, number)                                                 \
    QUICK_PUT_NAME(QUICK_NAME(class, soname, function), number)
#define QUICK_DELETE(function, number)                                                             \
    QUICK_PUT(1005, VG_Z_LIBSTDCXX_SONAME, function, number);                                      \
    QUICK_PUT(1005, VG_Z_LIBCXX_SONAME, function, number)

__asm__(".weak abort\n.hidden heapstory_abort\n.type heapstory_abort,@function\n"
        "heapstory_abort:\n"
        "movq abort@GOTPCREL(%rip), %rax\ntestq %rax, %rax\njz 1f\njmp *%rax\n1: ud2\n"
        ".size heapstory_abort, .-heapstory_abort\n");

QUICK_GET(1001, VG_Z_LIBC_SONAME, malloc, HS_MALLOC);
QUICK_GET(1007, VG_Z_LIBC_SONAME, calloc, HS_CALLOC);
QUICK_REALLOC(QUICK_NAME(1009, VG_Z_LIBC_SONAME, realloc),
              SLOW_NAME(1009, VG_Z_LIBC_SONAME, realloc));
QUICK_NEW(_Znwm, HS_NEW, "heapstory_new");
QUICK_NEW(_Znam, HS_NEW_ARRAY, "heapstory_new_array");
QUICK_PUT(1005, VG_Z_LIBC_SONAME, free, HS_FREE);
QUICK_DELETE(_ZdlPv, HS_DELETE);
QUICK_DELETE(_ZdlPvm, HS_DELETE_SIZED);
QUICK_DELETE(_ZdlPvSt11align_val_t, HS_DELETE);
QUICK_DELETE(_ZdlPvmSt11align_val_t, HS_DELETE_SIZED);
QUICK_DELETE(_ZdlPvRKSt9nothrow_t, HS_DELETE);
QUICK_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, HS_DELETE);
QUICK_DELETE(_ZdaPv, HS_DELETE_ARRAY);
QUICK_DELETE(_ZdaPvm, HS_DELETE_ARRAY_SIZED);
QUICK_DELETE(_ZdaPvSt11align_val_t, HS_DELETE_ARRAY);
QUICK_DELETE(_ZdaPvmSt11align_val_t, HS_DELETE_ARRAY_SIZED);
QUICK_DELETE(_ZdaPvRKSt9nothrow_t, HS_DELETE_ARRAY);
QUICK_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, HS_DELETE_ARRAY);
#endif
