// Things whose memory is used again: taken by one thread, given back by another. To ask for large
// memory anew and to clear it takes about as long as to fill it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <mutex>
#include <utility>
#include <vector>

namespace heapstory {

template <class Thing> class Spares {
  public:
    // One that was given back, or a new one.
    Thing take() {
        std::lock_guard lock(mutex_);
        if (spare_.empty())
            return {};
        Thing last = std::move(spare_.back());
        spare_.pop_back();
        return last;
    }
    void give(Thing thing) {
        std::lock_guard lock(mutex_);
        spare_.push_back(std::move(thing));
    }

  private:
    std::mutex mutex_;
    std::vector<Thing> spare_;
};

} // namespace heapstory
