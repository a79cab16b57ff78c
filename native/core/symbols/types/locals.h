// The variables and parameters of a function. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/dwarf/location.h"
#include "symbols/types/types.h"

namespace heapstory {

// Of the function that holds an address, and of those inlined into it; inner scopes come before
// those that contain them.
std::vector<LocalVariable> locals_of(Units &units, TypeReader &types, uint64_t address);

} // namespace heapstory
