// What passes an influence on from one point to another.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"

namespace heapstory::slice {

// The executions that are in the forward slice of one criterion and in the backward slice of the
// other; none if nothing led from one to the other.
Slice chop(const Prepared &prepared, const Criterion &from, const Criterion &to,
           const Options &options, const Progress &progress = {});

} // namespace heapstory::slice
