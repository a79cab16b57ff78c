// Small sets of numbers, each kept once and known by a number of its own.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <vector>

namespace heapstory::slice {

// Set 0 is empty.
class TagSets {
  public:
    static constexpr size_t most = 64; // elements; what is more is left out

    uint32_t single(uint32_t element) { return intern({element}); }
    uint32_t join(uint32_t one, uint32_t other) {
        if (one == other || !other)
            return one;
        if (!one)
            return other;
        if (one > other)
            std::swap(one, other);
        auto [found, is_new] = joined_.try_emplace(uint64_t(one) << 32 | other, 0);
        if (is_new) {
            std::vector<uint32_t> all;
            std::set_union(sets_[one].begin(), sets_[one].end(), sets_[other].begin(),
                           sets_[other].end(), std::back_inserter(all));
            if (all.size() > most) {
                all.resize(most);
                cut_ = true;
            }
            const uint32_t joined = intern(std::move(all));
            joined_[uint64_t(one) << 32 | other] = joined;
            return joined;
        }
        return found->second;
    }
    const std::vector<uint32_t> &elements(uint32_t set) const { return sets_[set]; }
    bool cut() const { return cut_; }

  private:
    uint32_t intern(std::vector<uint32_t> elements) {
        auto [found, is_new] = numbers_.try_emplace(elements, uint32_t(sets_.size()));
        if (is_new)
            sets_.push_back(std::move(elements));
        return found->second;
    }

    std::vector<std::vector<uint32_t>> sets_ = {{}};
    std::map<std::vector<uint32_t>, uint32_t> numbers_ = {{{}, 0}};
    std::unordered_map<uint64_t, uint32_t> joined_;
    bool cut_ = false;
};

} // namespace heapstory::slice
