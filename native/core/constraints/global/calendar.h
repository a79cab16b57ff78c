// Things that are to be looked at again when the time over which their last answer holds is left.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/span.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace heapstory::constraints {

class Calendar {
  public:
    explicit Calendar(size_t units) : spans_(units, Span{1, 0}) {}
    size_t size() const { return spans_.size(); }

    // Calls look(unit) for every unit whose answer does not hold at a moment; it gives the time
    // over which the new one does.
    template <class Look> void move(uint64_t time, Look look) {
        if (!started_) {
            for (uint32_t unit = 0; unit < spans_.size(); ++unit)
                spans_[unit] = look(unit);
        } else if (time != time_) {
            if (!turned_ || back_ != (time < time_))
                turn(time < time_);
            while (!queue_.empty() && passed(queue_.front().first, time)) {
                auto [moment, unit] = queue_.front();
                std::pop_heap(queue_.begin(), queue_.end(), order());
                queue_.pop_back();
                if (moment != edge(unit))
                    continue;
                spans_[unit] = look(unit);
                if (enqueue(unit))
                    std::push_heap(queue_.begin(), queue_.end(), order());
            }
        }
        started_ = true;
        time_ = time;
    }

  private:
    using Entry = std::pair<uint64_t, uint32_t>; // moment, unit

    struct Order {
        bool back;
        bool operator()(const Entry &a, const Entry &b) const {
            return back ? a.first < b.first : a.first > b.first;
        }
    };
    Order order() const { return {back_}; }
    // Where the unit's answer ends, in the direction in which time moves.
    uint64_t edge(uint32_t unit) const { return back_ ? spans_[unit].since : spans_[unit].until; }
    bool passed(uint64_t moment, uint64_t time) const {
        return back_ ? moment > time : moment <= time;
    }
    bool enqueue(uint32_t unit) {
        bool ends = edge(unit) != (back_ ? 0 : forever);
        if (ends)
            queue_.emplace_back(edge(unit), unit);
        return ends;
    }
    void turn(bool back) {
        turned_ = true;
        back_ = back;
        queue_.clear();
        for (uint32_t unit = 0; unit < spans_.size(); ++unit)
            enqueue(unit);
        std::make_heap(queue_.begin(), queue_.end(), order());
    }

    std::vector<Span> spans_;  // by unit
    std::vector<Entry> queue_; // a heap of the next moments at which answers end
    bool started_ = false, turned_ = false, back_ = false;
    uint64_t time_ = 0;
};

} // namespace heapstory::constraints
