// Things by the time of their last change, taken from the latest back.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A radix heap: a bucket holds the things whose time first differs from the moment that was reached
// in the same bit. So no order is kept among those that are far off yet.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace heapstory::constraints {

template <class T> class RadixHeap {
  public:
    // Nothing that is pushed is later.
    explicit RadixHeap(uint64_t start) : reached_(start) {}
    // Before the moment that was reached; once it is reached, never again.
    void push(uint64_t since, const T &thing) {
        buckets_[std::bit_width(since ^ reached_)].push_back({since, thing});
    }
    // Moves back to a moment and calls visit(since, thing) for all whose time is that or later;
    // visit may push.
    template <class Visit> void take(uint64_t moment, Visit visit) {
        unsigned split = unsigned(std::bit_width(moment ^ reached_));
        reached_ = moment;
        std::vector<Entry> taken;
        for (unsigned i = 0; i <= split; ++i) {
            taken.insert(taken.end(), buckets_[i].begin(), buckets_[i].end());
            buckets_[i].clear();
        }
        for (const auto &[since, thing] : taken)
            if (since >= moment)
                visit(since, thing);
            else
                push(since, thing);
    }

  private:
    struct Entry {
        uint64_t since;
        T thing;
    };
    uint64_t reached_;
    std::vector<Entry> buckets_[65]; // the first: those of the moment itself
};

} // namespace heapstory::constraints
