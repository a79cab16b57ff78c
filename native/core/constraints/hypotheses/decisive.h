// Which single operation, had it stored or freed something else, would leave nothing wrong.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Algorithm 3 names all operations that had a hand in an inconsistency. Where the structure would
// be consistent with another value in one field, the last write of that field is decisive: also if
// it only failed to fix what operations before it had opened, and so contributed to nothing.
#pragma once

#include "constraints/hypotheses/situation.h"

#include <cstdint>
#include <map>
#include <vector>

namespace heapstory::constraints {

// Why an operation is decisive, the surest first.
enum class Grade : uint8_t {
    value,    // a value is known that it could have stored, with which nothing is wrong
    omission, // a value is known for a field beside those it wrote, which was left as it was
    derived,  // a value is known if the numbers that were written after it may be others too
    followed  // a value is known if a store after it belongs into the object it leads to
};

struct Decision {
    Grade grade;
    uint32_t cell = none; // that should hold something else, if it is one
    bool wild = false;    // it holds a dangling or wild pointer
};

using Decisive = std::map<uint64_t, Decision>; // by the timestamp of the operation

// Whether a structure is small enough to be put to the question.
bool can_suppose(const Timeline &line);

// The decisive operations, all of one grade: the first that any is of.
class DecisiveSearch {
  public:
    // `floor`: a moment at which nothing was wrong, 0 if none is known.
    DecisiveSearch(Checker &checker, uint64_t time, uint64_t floor,
                   const StatementOf &statement_of);
    Decisive run(const std::vector<Inconsistency> &found, const std::vector<Fault> &faults);

  private:
    Decisive by_value(const std::vector<Inconsistency> &found) const;
    template <class... Models>
    Decisive test(const std::vector<Inconsistency> &found, Grade grade, std::vector<uint32_t> *open,
                  const Models &...models) const;
    void add_origins(Decisive &decisive) const;

    Checker &checker_;
    Situation at_;
};

} // namespace heapstory::constraints
