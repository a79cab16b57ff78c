// Numbers of so many bits.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/ir/code.h"

namespace heapstory::explore::ir {

uint64_t mask(int32_t bits);
int64_t signed_of(uint64_t value, int32_t bits);
bool compared(Predicate how, uint64_t a, uint64_t b, int32_t bits);
uint64_t modified(Modify how, uint64_t old, uint64_t by, int32_t bits);

} // namespace heapstory::explore::ir
