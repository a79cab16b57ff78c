// The timestamps over which an answer stays what it is.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace heapstory::constraints {

constexpr uint64_t forever = ~uint64_t(0);

// Timestamps over which an answer stays what it is: since <= T < until.
struct Span {
    uint64_t since = 0, until = forever;

    void narrow(uint64_t from, uint64_t to) {
        since = std::max(since, from);
        until = std::min(until, to);
    }
    void narrow(const Span &other) { narrow(other.since, other.until); }
    bool holds(uint64_t at) const { return since <= at && at < until; }
};

} // namespace heapstory::constraints
