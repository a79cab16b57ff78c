// What earlier walks found, for later ones that come to look for the same.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/frontier.h"
#include "slice/backward/reasons_parts.h"
#include "slice/hits.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace heapstory::slice {

// A point of a walk: what it looked for there, and what it found from there on.
struct Checkpoint {
    uint32_t sequence = 0; // the next one that it went through
    Frontier frontier;
    Hits found;          // up to the next checkpoint
    ReasonsPart reasons; // likewise, where they were asked for
    std::optional<RestOfReasons> rest;
    std::shared_ptr<const Checkpoint> next;
    // Of the last one: what was there before the stream.
    uint64_t unresolved = 0; // bytes of memory and registers
    LiveMemory left;         // where reasons were asked for
};

// Slices by the same options. Criteria that are near each other soon look for
// the same: the rest of the walk is then known. It keeps the last walks, and of
// each a number of points that does not depend on the length of the stream.
class WalkIndex {
  public:
    // Whether a walk stops at the start of a sequence.
    static bool stops(uint32_t sequence, uint32_t of) {
        return sequence % (of / most_points + 1) == 0;
    }
    // A checkpoint where the same was looked for; `fits` may ask for more.
    template <class Fits>
    std::shared_ptr<const Checkpoint> find(uint32_t sequence, const Frontier &frontier,
                                           Fits fits) const {
        for (const auto &walk : walks_)
            for (auto at = walk; at && at->sequence >= sequence; at = at->next)
                if (at->sequence == sequence && at->frontier == frontier && fits(*at))
                    return at;
        return nullptr;
    }
    void keep(std::shared_ptr<const Checkpoint> first) {
        walks_.push_front(std::move(first));
        if (walks_.size() > most_walks)
            walks_.pop_back();
    }

  private:
    static constexpr uint32_t most_points = 32;
    static constexpr size_t most_walks = 4;

    std::deque<std::shared_ptr<const Checkpoint>> walks_; // by their first points, the latest first
};

} // namespace heapstory::slice
