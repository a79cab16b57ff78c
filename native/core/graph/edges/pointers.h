// What a stored value means: the node it points to, then and now.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <string_view>

namespace heapstory {

enum class EdgeState : uint8_t { live, stale, null, data };
std::string_view name_of(EdgeState state);

// What a pointer means after `now` events that was stored when `stored` of them had happened, the
// store included: the node alive now that holds it if it was there already, otherwise, stale, the
// node that held it then.
struct Meaning {
    uint64_t target = 0, offset = 0;
    EdgeState state = EdgeState::data;
};

class Pointers {
  public:
    explicit Pointers(const Store &store);
    bool may_be_pointer(uint64_t value) const { return value - low_ < high_ - low_; }
    Meaning meaning(uint64_t value, uint64_t stored, uint64_t now) const;

  private:
    const Store &store_;
    uint64_t low_ = 0, high_ = 0; // all heap nodes and globals ever lie in between
};

} // namespace heapstory
