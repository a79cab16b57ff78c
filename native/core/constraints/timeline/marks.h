// A set of objects that is emptied in no time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/incoming.h"

#include <vector>

namespace heapstory::constraints {

// A set of objects that is emptied in no time.
class Marks {
  public:
    void clear(size_t objects) {
        if (seen_.size() != objects || ++round_ == 0) {
            seen_.assign(objects, 0);
            round_ = 1;
        }
    }
    // False if it was there already.
    bool add(Object object) {
        bool fresh = seen_[object] != round_;
        seen_[object] = round_;
        return fresh;
    }
    bool has(Object object) const { return seen_[object] == round_; }

  private:
    std::vector<uint32_t> seen_;
    uint32_t round_ = 0;
};

} // namespace heapstory::constraints
