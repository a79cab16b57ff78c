/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C library's functions that only read, for checked programs. The library's own read words that
 * reach beyond what is asked for, which would be reported; these look at what they must and tell
 * what it was. A fault inside is the program's own, as in strings.c.
 */
#include "functions/functions.h"
#include "functions/string_lengths.h"
#include "preload/stubs.h"
#include "shared/listeners.h"

#define FUNCTION(name) static ULong name(UChar *d, UChar *s, SizeT n, SizeT limit, ULong site)

static void looked(const void *from, SizeT length, ULong site) {
    if (!length)
        return;
    HS_TELL(looked, (Addr)from, length, site);
    HS_TELL(result_from, (Addr)from, length);
}

/* ---- lengths ---- */

FUNCTION(do_strlen) {
    SizeT length = hs_length_of(d);
    looked(d, length + 1, site);
    return length;
}

FUNCTION(do_strnlen) {
    SizeT most = (SizeT)s, length = hs_length_within(d, most);
    looked(d, length < most ? length + 1 : length, site);
    return length;
}

FUNCTION(do_wcslen) {
    SizeT length = hs_wide_length((UInt *)d);
    looked(d, 4 * (length + 1), site);
    return length;
}

FUNCTION(do_wcsnlen) {
    SizeT most = (SizeT)s, length = 0;
    while (length < most && ((UInt *)d)[length])
        length++;
    looked(d, 4 * (length < most ? length + 1 : length), site);
    return length;
}

/* ---- one character ---- */

/* The place of the byte, or of the end of the string. */
static SizeT find(const UChar *text, UChar byte, ULong site) {
    SizeT i = 0;
    while (text[i] && text[i] != byte)
        i++;
    looked(text, i + 1, site);
    return i;
}

FUNCTION(do_strchr) {
    UChar byte = (UChar)(ULong)s;
    SizeT i = find(d, byte, site);
    return d[i] == byte ? (ULong)(d + i) : 0;
}

FUNCTION(do_strchrnul) {
    return (ULong)(d + find(d, (UChar)(ULong)s, site));
}

FUNCTION(do_strrchr) {
    SizeT length = hs_length_of(d), i = length + 1;
    looked(d, length + 1, site);
    while (i-- > 0)
        if (d[i] == (UChar)(ULong)s)
            return (ULong)(d + i);
    return 0;
}

FUNCTION(do_rawmemchr) {
    SizeT i = 0;
    while (d[i] != (UChar)(ULong)s)
        i++;
    looked(d, i + 1, site);
    return (ULong)(d + i);
}

FUNCTION(do_memchr) {
    SizeT i = 0;
    while (i < n && d[i] != (UChar)(ULong)s)
        i++;
    looked(d, i < n ? i + 1 : n, site);
    return i < n ? (ULong)(d + i) : 0;
}

FUNCTION(do_memrchr) {
    SizeT i = n;
    while (i > 0 && d[i - 1] != (UChar)(ULong)s)
        i--;
    looked(d + (i ? i - 1 : 0), n - (i ? i - 1 : 0), site);
    return i ? (ULong)(d + i - 1) : 0;
}

FUNCTION(do_wcschr) {
    const UInt *text = (const UInt *)d;
    UInt wanted = (UInt)(ULong)s;
    SizeT i = 0;
    while (text[i] && text[i] != wanted)
        i++;
    looked(d, 4 * (i + 1), site);
    return text[i] == wanted ? (ULong)(text + i) : 0;
}

FUNCTION(do_wcsrchr) {
    const UInt *text = (const UInt *)d;
    SizeT length = hs_wide_length(text), i = length + 1;
    looked(d, 4 * (length + 1), site);
    while (i-- > 0)
        if (text[i] == (UInt)(ULong)s)
            return (ULong)(text + i);
    return 0;
}

FUNCTION(do_wmemchr) {
    const UInt *text = (const UInt *)d;
    SizeT i = 0;
    while (i < n && text[i] != (UInt)(ULong)s)
        i++;
    looked(d, 4 * (i < n ? i + 1 : n), site);
    return i < n ? (ULong)(text + i) : 0;
}

/* ---- comparing ---- */

static void looked_at_both(const void *a, const void *b, SizeT length, ULong site) {
    looked(a, length, site);
    looked(b, length, site);
}

FUNCTION(do_memcmp) {
    SizeT i = 0;
    while (i < n && d[i] == s[i])
        i++;
    looked_at_both(d, s, i < n ? i + 1 : n, site);
    return i < n ? (ULong)((Int)d[i] - (Int)s[i]) : 0;
}

FUNCTION(do_strcmp) {
    SizeT i = 0;
    while (d[i] && d[i] == s[i])
        i++;
    looked_at_both(d, s, i + 1, site);
    return (ULong)((Int)d[i] - (Int)s[i]);
}

FUNCTION(do_strncmp) {
    SizeT i = 0;
    while (i < n && d[i] && d[i] == s[i])
        i++;
    looked_at_both(d, s, i < n ? i + 1 : n, site);
    return i < n ? (ULong)((Int)d[i] - (Int)s[i]) : 0;
}

static ULong order(UInt a, UInt b) { /* wchar_t is signed */
    return (ULong)(Long)((Int)a < (Int)b ? -1 : a != b);
}

FUNCTION(do_wcscmp) {
    const UInt *a = (const UInt *)d, *b = (const UInt *)s;
    SizeT i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    looked_at_both(a, b, 4 * (i + 1), site);
    return order(a[i], b[i]);
}

FUNCTION(do_wcsncmp) {
    const UInt *a = (const UInt *)d, *b = (const UInt *)s;
    SizeT i = 0;
    while (i < n && a[i] && a[i] == b[i])
        i++;
    looked_at_both(a, b, 4 * (i < n ? i + 1 : n), site);
    return i < n ? order(a[i], b[i]) : 0;
}

FUNCTION(do_wmemcmp) {
    const UInt *a = (const UInt *)d, *b = (const UInt *)s;
    SizeT i = 0;
    while (i < n && a[i] == b[i])
        i++;
    looked_at_both(a, b, 4 * (i < n ? i + 1 : n), site);
    return i < n ? order(a[i], b[i]) : 0;
}

/* ---- sets and parts ---- */

/* How many bytes of the text, up to its end, are in the set, or are not. */
static SizeT span(const UChar *text, const UChar *set, Bool in, ULong site) {
    UChar member[256] = {0};
    SizeT n = 0, length = hs_length_of(set);
    for (SizeT i = 0; i < length; i++)
        member[set[i]] = 1;
    while (text[n] && member[text[n]] == in)
        n++;
    looked(set, length + 1, site);
    looked(text, n + 1, site);
    return n;
}

FUNCTION(do_strspn) {
    return span(d, s, True, site);
}

FUNCTION(do_strcspn) {
    return span(d, s, False, site);
}

FUNCTION(do_strpbrk) {
    SizeT i = span(d, s, False, site);
    return d[i] ? (ULong)(d + i) : 0;
}

static Bool begins_with(const UChar *text, const UChar *part, SizeT length) {
    for (SizeT i = 0; i < length; i++)
        if (text[i] != part[i]) /* the end of the text too */
            return False;
    return True;
}

FUNCTION(do_strstr) {
    SizeT length = hs_length_of(s), i = 0;
    looked(s, length + 1, site);
    while (d[i] && !begins_with(d + i, s, length))
        i++;
    if (!begins_with(d + i, s, length)) {
        looked(d, i + 1, site);
        return 0;
    }
    looked(d, i + length, site);
    return (ULong)(d + i);
}

/* Registers by number, of as many arguments. */
enum { ONE = 1 << 7, TWO = ONE | 1 << 6, THREE = TWO | 1 << 2 };

#define READER(number) [number - HS_FIRST_READER]

const struct hs_string_function hs_readers[HS_STUBS - HS_FIRST_READER] = {
    READER(HS_STRLEN) = {"hs_strlen", do_strlen, {ONE, 0, 0}},
    READER(HS_STRNLEN) = {"hs_strnlen", do_strnlen, {TWO, 0, 0}},
    READER(HS_STRCHR) = {"hs_strchr", do_strchr, {TWO, 0, 0}},
    READER(HS_STRCHRNUL) = {"hs_strchrnul", do_strchrnul, {TWO, 0, 0}},
    READER(HS_STRRCHR) = {"hs_strrchr", do_strrchr, {TWO, 0, 0}},
    READER(HS_RAWMEMCHR) = {"hs_rawmemchr", do_rawmemchr, {TWO, 0, 0}},
    READER(HS_MEMCHR) = {"hs_memchr", do_memchr, {THREE, 0, 0}},
    READER(HS_MEMRCHR) = {"hs_memrchr", do_memrchr, {THREE, 0, 0}},
    READER(HS_MEMCMP) = {"hs_memcmp", do_memcmp, {THREE, 0, 0}},
    READER(HS_STRCMP) = {"hs_strcmp", do_strcmp, {TWO, 0, 0}},
    READER(HS_STRNCMP) = {"hs_strncmp", do_strncmp, {THREE, 0, 0}},
    READER(HS_STRSPN) = {"hs_strspn", do_strspn, {TWO, 0, 0}},
    READER(HS_STRCSPN) = {"hs_strcspn", do_strcspn, {TWO, 0, 0}},
    READER(HS_STRPBRK) = {"hs_strpbrk", do_strpbrk, {TWO, 0, 0}},
    READER(HS_STRSTR) = {"hs_strstr", do_strstr, {TWO, 0, 0}},
    READER(HS_WCSLEN) = {"hs_wcslen", do_wcslen, {ONE, 0, 0}},
    READER(HS_WCSNLEN) = {"hs_wcsnlen", do_wcsnlen, {TWO, 0, 0}},
    READER(HS_WCSCHR) = {"hs_wcschr", do_wcschr, {TWO, 0, 0}},
    READER(HS_WCSRCHR) = {"hs_wcsrchr", do_wcsrchr, {TWO, 0, 0}},
    READER(HS_WCSCMP) = {"hs_wcscmp", do_wcscmp, {TWO, 0, 0}},
    READER(HS_WCSNCMP) = {"hs_wcsncmp", do_wcsncmp, {THREE, 0, 0}},
    READER(HS_WMEMCHR) = {"hs_wmemchr", do_wmemchr, {THREE, 0, 0}},
    READER(HS_WMEMCMP) = {"hs_wmemcmp", do_wmemcmp, {THREE, 0, 0}},
};
