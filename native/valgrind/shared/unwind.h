/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the function around an instruction begins and ends, from unwind tables. */
#ifndef HEAPSTORY_SHARED_UNWIND_H
#define HEAPSTORY_SHARED_UNWIND_H

#include "shared/tool.h"

struct hs_function {
    Addr start, end;
};
Bool hs_function_around(Addr code, struct hs_function *function); /* False: not known */

#endif
