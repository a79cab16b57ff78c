// Can the values of a stack be nested? Near-linear in their number.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace heapstory {

// One value: the intervals of its push and its pop (`endless`: it did not happen).
struct Lifetime {
    int64_t push_begin, push_end, pop_begin, pop_end;
};
constexpr int64_t endless = std::numeric_limits<int64_t>::max();

// A value is *surely* there from the end of its push to the begin of its pop. Where nothing is
// surely there, the history splits. A stretch that is covered throughout needs one value around
// all others: its push can come first and its pop last. Taking that value away uncovers more, and
// so on; which one is taken, if several fit, does not matter. Only pushes that run when the stretch
// begins can be first, so few need to be looked at.
struct Nesting {
    enum Outcome { possible, impossible, out_of_time } outcome;
    std::size_t value; // if impossible: one in a stretch that has no value around all others
};
Nesting nest(const std::vector<Lifetime> &values, double seconds);

} // namespace heapstory
