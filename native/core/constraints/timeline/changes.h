// What changes when: numbers by their timestamps, to be looked up for a stretch of time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace heapstory::constraints {

// Kept by slices of time, unsorted within each: made in linear time, and a short stretch is found
// in a few steps.
class Changes {
  public:
    struct Change {
        uint64_t time;
        uint32_t what;
    };

    explicit Changes(const std::vector<Change> &all) {
        uint64_t last = 0;
        for (const Change &change : all)
            last = std::max(last, change.time);
        while (last >> shift_ > all.size() / 16)
            ++shift_;
        first_.assign((last >> shift_) + 2, 0);
        for (const Change &change : all)
            ++first_[(change.time >> shift_) + 1];
        for (size_t i = 1; i < first_.size(); ++i)
            first_[i] += first_[i - 1];
        changes_.resize(all.size());
        std::vector<uint64_t> next(first_.begin(), first_.end() - 1);
        for (const Change &change : all)
            changes_[next[change.time >> shift_]++] = change;
    }

    // Calls visit(what) for what changes on the way from one moment to the other, in any order.
    template <class Visit> void between(uint64_t from, uint64_t to, Visit visit) const {
        if (from > to)
            std::swap(from, to);
        auto [begin, end] = slices(from, to);
        for (uint64_t i = begin; i < end; ++i)
            if (changes_[i].time > from && changes_[i].time <= to)
                visit(changes_[i].what);
    }
    // No fewer than that, and not many more.
    uint64_t at_most(uint64_t from, uint64_t to) const {
        auto [begin, end] = slices(std::min(from, to), std::max(from, to));
        return end - begin;
    }

  private:
    std::pair<uint64_t, uint64_t> slices(uint64_t from, uint64_t to) const {
        if (from == to)
            return {0, 0};
        uint64_t last = first_.size() - 1;
        return {first_[std::min(from >> shift_, last)], first_[std::min((to >> shift_) + 1, last)]};
    }

    unsigned shift_ = 0;
    std::vector<uint64_t> first_; // by slice, and one more
    std::vector<Change> changes_;
};

} // namespace heapstory::constraints
