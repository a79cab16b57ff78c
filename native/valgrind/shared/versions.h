/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between the versions of Valgrind that the tool is built against, 3.19 and later. */
#ifndef HEAPSTORY_SHARED_VERSIONS_H
#define HEAPSTORY_SHARED_VERSIONS_H

#include "valgrind.h"

#define HS_VALGRIND (__VALGRIND_MAJOR__ * 100 + __VALGRIND_MINOR__)

#if HS_VALGRIND < 319
#error "heapstory needs Valgrind 3.19 or later"
#endif

/* Since 3.22 the aligned allocations also hear which alignment the program asked for, before it was
 * raised to the least one. */
#if HS_VALGRIND >= 322
#define HS_ASKED_ALIGNMENT , SizeT asked
#else
#define HS_ASKED_ALIGNMENT
#endif

/* 3.26 dropped those counts of zeros that are undefined for 0. */
#if HS_VALGRIND >= 326
#define HS_CASE_TRAILING_ZEROS                                                                     \
    case Iop_CtzNat32:                                                                             \
    case Iop_CtzNat64
#define HS_CASE_LEADING_ZEROS                                                                      \
    case Iop_ClzNat32:                                                                             \
    case Iop_ClzNat64
#else
#define HS_CASE_TRAILING_ZEROS                                                                     \
    case Iop_Ctz32:                                                                                \
    case Iop_Ctz64:                                                                                \
    case Iop_CtzNat32:                                                                             \
    case Iop_CtzNat64
#define HS_CASE_LEADING_ZEROS                                                                      \
    case Iop_Clz32:                                                                                \
    case Iop_Clz64:                                                                                \
    case Iop_ClzNat32:                                                                             \
    case Iop_ClzNat64
#endif

#endif
