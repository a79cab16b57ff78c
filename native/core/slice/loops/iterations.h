// Which iterations of which loops a thread is in.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/loops/shapes.h"
#include "slice/slice.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heapstory::slice {

// A clock that goes on by one with every iteration of any loop: what happened is dated by it.
using Clock = uint32_t;

// A loop that has been entered and not been left.
class ActiveLoop {
  public:
    ActiveLoop(uint32_t loop, Point point, Clock now) : loop_(loop), first_(point), start_(now) {
        iterate(point, now);
    }
    // The header is reached: another iteration, if more than the head of it runs.
    void iterate(Point point, Clock now) {
        if (++arrivals_ == 2)
            second_ = point;
        beyond_head = false;
        if (starts_.size() == most_starts)
            starts_.erase(starts_.begin(), starts_.begin() + most_starts / 2);
        starts_.push_back(now);
    }

    uint32_t loop() const { return loop_; }
    Clock start() const { return start_; }
    Clock current() const { return starts_.back(); }
    uint64_t arrivals() const { return arrivals_; }
    Point first() const { return first_; }
    Point second() const { return second_; }
    // How many iterations ago something happened in this loop; where that is very long ago, at
    // least as many.
    uint64_t distance(Clock then) const {
        auto after = std::upper_bound(starts_.begin(), starts_.end(), then);
        return uint64_t(starts_.end() - std::max(after, starts_.begin() + 1));
    }

    bool beyond_head = false; // more than the head of this iteration ran
    bool counted = false;     // an iteration was counted

  private:
    static constexpr size_t most_starts = size_t(1) << 20;

    uint32_t loop_;
    Point first_, second_;
    uint64_t arrivals_ = 0;
    Clock start_;
    std::vector<Clock> starts_; // of the iterations, the last ones
};

// An activation with the loops that are active in it.
struct Level {
    uint64_t activation = 0;
    size_t loops = 0;   // that were active when it began
    uint32_t site = 0;  // the program's own instruction that called it; 0: unknown
    uint64_t stack = 0; // where its return address lies; 0: unknown
    bool is_new = true; // nothing of the program's own code has run in it
};

struct LoopStack {
    std::vector<ActiveLoop> active; // outermost first
    std::vector<Level> levels;
};

} // namespace heapstory::slice
