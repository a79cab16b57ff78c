// From the first bad C-point to the answer: what is wrong, what led to it, what was decisive.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A C-point may lie in the middle of an operation: a function of the structure has returned to one
// that goes on to use others of it. What is wrong there counts if it still is when that one
// returns; but then the fault may also lie in what comes between. So where no operation up to the
// C-point is decisive, the next C-points of the same caller are looked at as well. And what was
// wrong for a while, in an operation that ends badly, is where that began if the same way through
// the program never left such a thing wrong before.
#pragma once

#include "constraints/hypotheses/decisive.h"
#include "constraints/locate/wild_pointers.h"
#include "constraints/search/forward.h"
#include "constraints/search/traceback.h"

#include <vector>

namespace heapstory::constraints {

struct Location {
    size_t point = Forward::no_point; // the bad C-point
    size_t clean = Forward::no_point; // the last one before it at which all was well
    std::vector<Inconsistency> found; // there
    std::vector<Fault> faults;
    Decisive decisive;
    std::vector<WildStore> wild;
    size_t traced = 0; // how many of those found were traced back
};

// `forward` has been run and found a bad C-point.
Location locate(Checker &checker, const Forward &forward, const std::vector<CPoint> &points,
                size_t bad, const StatementOf &statement_of);

} // namespace heapstory::constraints
