// Where the result of a call is stored, told by the code behind the call.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/symbols.h"

namespace heapstory {

// Whether what a call returns is always what a store writes, which comes next: on the way from one
// to the other the code jumps, if at all, without a condition. (Compilers make one of equal ends of
// two branches.) Both addresses lie in their instructions.
bool stores_result(ElfFile &file, uint64_t call, uint64_t store);

} // namespace heapstory
