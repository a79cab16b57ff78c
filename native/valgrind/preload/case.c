/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of the preload object of checked programs: comparing without regard to case. What a letter's
 * other case is the program's locale says, so these are run as code of the program, byte by byte.
 */
#include "pub_tool_basics.h"
#include "pub_tool_redir.h"

extern int tolower(int);
extern int tolower_l(int, void *);

#define LIBC(function) VG_REPLACE_FUNCTION_EZU(20380, VG_Z_LIBC_SONAME, function)

#define COMPARE(function)                                                                          \
    int LIBC(function)(const UChar *, const UChar *);                                              \
    int LIBC(function)(const UChar *a, const UChar *b) {                                           \
        for (;; a++, b++)                                                                          \
            if (!*a || tolower(*a) != tolower(*b))                                                 \
                return tolower(*a) - tolower(*b);                                                  \
    }
#define COMPARE_N(function)                                                                        \
    int LIBC(function)(const UChar *, const UChar *, SizeT);                                       \
    int LIBC(function)(const UChar *a, const UChar *b, SizeT n) {                                  \
        for (; n; a++, b++, n--)                                                                   \
            if (!*a || tolower(*a) != tolower(*b))                                                 \
                return tolower(*a) - tolower(*b);                                                  \
        return 0;                                                                                  \
    }
#define COMPARE_L(function)                                                                        \
    int LIBC(function)(const UChar *, const UChar *, void *);                                      \
    int LIBC(function)(const UChar *a, const UChar *b, void *locale) {                             \
        for (;; a++, b++)                                                                          \
            if (!*a || tolower_l(*a, locale) != tolower_l(*b, locale))                             \
                return tolower_l(*a, locale) - tolower_l(*b, locale);                              \
    }
#define COMPARE_NL(function)                                                                       \
    int LIBC(function)(const UChar *, const UChar *, SizeT, void *);                               \
    int LIBC(function)(const UChar *a, const UChar *b, SizeT n, void *locale) {                    \
        for (; n; a++, b++, n--)                                                                   \
            if (!*a || tolower_l(*a, locale) != tolower_l(*b, locale))                             \
                return tolower_l(*a, locale) - tolower_l(*b, locale);                              \
        return 0;                                                                                  \
    }

COMPARE(strcasecmp)
COMPARE_N(strncasecmp)
COMPARE_L(strcasecmp_l)
COMPARE_L(__strcasecmp_l)
COMPARE_NL(strncasecmp_l)
COMPARE_NL(__strncasecmp_l)
