// Backward slices as the thesis has them, to compare with.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/instances.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace heapstory::slice {

// What a slice by lists gives: the numbers of the instances in it, ascending, and how long the
// dependency list and the filter became.
struct ListSlice {
    std::vector<uint64_t> instances;
    size_t longest_list = 0, largest_filter = 0;
};

// Asked now and then; may throw to end it.
using Watch = std::function<void()>;

// The criterion is the last instance of the list, with all that it uses.

// Algorithm 4: every definition is matched against the dependency list. Line 9 of the thesis says
// MemDepList ∩ Def[i]; what it means is MemDepList − Def[i].
ListSlice algorithm4(std::span<const Instance> instances, const Watch &watch = {});

// The same with a list kept in order and searched in halves (Figure 5.2).
ListSlice algorithm4_sorted(std::span<const Instance> instances, const Watch &watch = {});

// Algorithm 5: a filter of joined ranges, and one of branches, stand before the list. An
// instruction that the control filter lets pass is in the slice, though PROCESS as printed would
// test its definitions only.
ListSlice algorithm5(std::span<const Instance> instances, const Watch &watch = {});

} // namespace heapstory::slice
