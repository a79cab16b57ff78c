// Timelines out of a trace: chunk by chunk, on two threads, each with its part of the addresses.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/timeline.h"
#include "store/store.h"

namespace heapstory::constraints {

// Up to a moment; blocks that are there by then keep their ends, whenever that is.
Timeline load(const Store &store, const Plan &plan, uint64_t until = forever);

} // namespace heapstory::constraints
