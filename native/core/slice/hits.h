// Gathers the executions that are in a slice.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/marks.h"
#include "slice/prepared.h"
#include "slice/slice.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>

namespace heapstory::slice {

class Hits {
  public:
    // Where `within` is given, what is not in it does not count.
    explicit Hits(const Marks *within = nullptr) : within_(within) {}

    void add(uint32_t block, unsigned instruction, uint64_t step) {
        if (!within_ || within_->has(step, instruction))
            count(hits_[uint64_t(block) << 16 | instruction], step);
    }
    void add_effect(uint64_t address, uint64_t step) {
        if (!within_ || within_->has(step, 0))
            count(effects_[address], step);
    }

    void add(const Hits &others) {
        add(hits_, others.hits_);
        add(effects_, others.effects_);
    }

    Slice take(const Prepared &prepared) {
        Slice slice;
        for (auto &[key, hit] : hits_) {
            hit.block = uint32_t(key >> 16);
            hit.instruction = uint16_t(key);
            hit.address = prepared.effects(hit.block).instructions[hit.instruction].address;
            slice.hits.push_back(hit);
        }
        for (auto &[address, hit] : effects_) {
            hit.address = address;
            slice.hits.push_back(hit);
        }
        for (const Hit &hit : slice.hits)
            slice.instructions += hit.count;
        std::sort(slice.hits.begin(), slice.hits.end(), [](const Hit &one, const Hit &other) {
            return std::tie(one.address, one.block, one.instruction) <
                   std::tie(other.address, other.block, other.instruction);
        });
        return slice;
    }

  private:
    static void count(Hit &hit, uint64_t step) {
        hit.first = hit.count ? std::min(hit.first, step) : step;
        hit.last = std::max(hit.last, step);
        ++hit.count;
    }
    using Counts = std::unordered_map<uint64_t, Hit>;

    static void add(Counts &counts, const Counts &others) {
        for (const auto &[key, hit] : others) {
            Hit &into = counts[key];
            into.first = into.count ? std::min(into.first, hit.first) : hit.first;
            into.last = std::max(into.last, hit.last);
            into.count += hit.count;
        }
    }

    const Marks *within_ = nullptr;
    Counts hits_, effects_;
};

} // namespace heapstory::slice
