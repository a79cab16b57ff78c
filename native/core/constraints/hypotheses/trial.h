// Tests hypotheses: with which of them would nothing be wrong?
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/hypotheses/future.h"
#include "constraints/search/reading.h"

#include <cstdint>
#include <queue>
#include <vector>

namespace heapstory::constraints {

class Trial {
  public:
    // `found`: what is wrong at the C-point.
    Trial(const Situation &at, const Hypotheses &hypotheses, std::vector<Inconsistency> found);

    // Calls pass(hypothesis) for those with which nothing is wrong. Of the hypotheses about one
    // operation none is tested after the first for which `pass` returns true.
    template <class Pass> void run(Pass pass) {
        std::set<uint64_t> decided; // operations
        size_t i = 0;
        for (size_t end : groups_) {
            if (i == end || !all_depend(i, end)) {
                i = end;
                continue;
            }
            for (; i < end; ++i) {
                const Hypothesis &hypothesis = hypotheses_[i];
                if (decided.contains(hypothesis.operation) || !is_consistent(i))
                    continue;
                if (hypothesis.only_open) {
                    i = end;
                    break;
                }
                if (pass(hypothesis))
                    decided.insert(hypothesis.operation);
            }
        }
    }

  private:
    struct Unit { // an object as the first variable of a nested constraint
        uint64_t until;
        uint32_t constraint;
        Object object;
        bool operator<(const Unit &other) const { return until > other.until; }
    };

    bool all_depend(size_t first, size_t end);
    bool is_consistent(size_t hypothesis);
    bool units_hold(uint64_t moment);
    bool holds(Unit unit, uint64_t moment);
    void list_units();

    const Plan &plan_;
    const Hypotheses &hypotheses_;
    std::vector<Inconsistency> found_;
    std::vector<size_t> groups_;
    Timeline future_;
    Checker checker_;
    Reading reading_;
    std::vector<uint64_t> untils_; // by inconsistency: until when its arguments stay the same
    bool listed_ = false;
    std::vector<Unit> fresh_;         // units that were not looked at yet, once listed_
    std::priority_queue<Unit> units_; // those whose answer ends
};

} // namespace heapstory::constraints
