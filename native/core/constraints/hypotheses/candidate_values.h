// The values that a field could hold instead of its own.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/hypotheses/situation.h"

#include <vector>

namespace heapstory::constraints {

class CandidateValues {
  public:
    explicit CandidateValues(const Situation &at) : at_(at) {}

    // NULL, what was there before, and all objects of the pool.
    std::vector<Version> pointers(uint32_t cell) const;
    // Numbers next to it, the one before, and those of other fields of the object.
    std::vector<Version> numbers(uint32_t cell) const;
    // Those of the two that the last operation that wrote a field could have stored and, for a
    // number, what it is compared with and those next to that.
    std::vector<Version> stored(uint32_t cell) const;

    // A number with as many bits as a field has.
    Version with_number(uint32_t cell, uint64_t number) const;

    static void add_once(std::vector<Version> &values, const Version &value);

  private:
    const Situation &at_;
};

} // namespace heapstory::constraints
