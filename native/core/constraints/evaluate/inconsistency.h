// A constraint that does not hold, and what its variables are bound to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/plan/plan.h"
#include "constraints/timeline/incoming.h"

#include <compare>
#include <vector>

namespace heapstory::constraints {

// What a variable is bound to.
struct Bound {
    Object object = ~Object(0); // of the variable's type; none: a number
    Integer number = 0;
    auto operator<=>(const Bound &) const = default;
};

// A constraint and the objects and loop numbers it does not hold for.
struct Inconsistency {
    uint32_t constraint = 0;
    std::vector<Bound> binding; // FORALL variables, then loops
    auto operator<=>(const Inconsistency &) const = default;
};

struct InconsistencyHash {
    size_t operator()(const Inconsistency &e) const {
        size_t hash = e.constraint;
        for (const Bound &bound : e.binding)
            hash = (hash ^ bound.object ^ size_t(bound.number) << 7) * 0x9e3779b97f4a7c15u;
        return hash ^ hash >> 29;
    }
};

} // namespace heapstory::constraints
