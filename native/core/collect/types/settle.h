// One type for the blocks of each allocation, out of all that is known.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/types/evidence.h"

namespace heapstory {

// By stack, no_type where nothing tells or what tells disagrees.
std::vector<TypeId> settle_types(const Store &store, Modules &modules);

} // namespace heapstory
