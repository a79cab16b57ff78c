// What if an operation had done something else: hypotheses, and the order in which they are tested.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/timeline.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace heapstory::constraints {

struct Change { // of what a field holds
    uint32_t cell;
    Version version;
};

// What if an operation had done something else?
struct Hypothesis {
    uint64_t operation; // its timestamp
    std::vector<Change> changes;
    uint32_t revived = none; // the block that was not freed
    bool only_open = false;  // if nothing is wrong then, the others of its group say nothing
};

// Hypotheses in the order in which they are tested, those about the same fields in one group.
class Hypotheses {
  public:
    // A value that was never written, and one that is left open.
    static constexpr Version unknown{0, 0, 0, unknown_target}, open{0, 0, 0, open_target};

    void add(Hypothesis hypothesis) { all_.push_back(std::move(hypothesis)); }
    void add(uint64_t operation, std::vector<Change> changes) {
        add({operation, std::move(changes), none, false});
    }
    void end_group() { groups_.push_back(all_.size()); }

    size_t size() const { return all_.size(); }
    const Hypothesis &operator[](size_t i) const { return all_[i]; }
    const std::vector<size_t> &groups() const { return groups_; } // ends

  private:
    std::vector<Hypothesis> all_;
    std::vector<size_t> groups_;
};

// Whether two versions hold the same value with the same meaning.
inline bool same(const Version &a, const Version &b) {
    return a.value == b.value && a.target == b.target;
}

} // namespace heapstory::constraints
