// Which instructions put arguments into registers for a call.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"

#include <cstdint>
#include <vector>

namespace heapstory::slice {

// A compiler may put them behind other statements than the one that calls: before the call, the
// caller's instructions are looked at that define a register for arguments, up to the call before
// it. What the caller has used itself was no argument; what it has not is one, since the call may
// leave nothing in these registers. Points are in no order.
std::vector<Point> argument_setups(const Prepared &prepared, const stream::Sequence &sequence,
                                   const Activations &activations, Point call);

} // namespace heapstory::slice
