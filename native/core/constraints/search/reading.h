// Which inconsistencies count: those about objects that belong to a structure.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where it is said where structures begin (`root:`), the constraints are about the objects that
// can be reached from there, and an object that cannot be is lost. But not if it is merely apart:
// it was never linked so far (but from its own block), or it was taken out and is freed or linked
// again later.
#pragma once

#include "constraints/search/checker.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heapstory::constraints {

class Reading {
  public:
    // `apart`: by object (a head), where that is known already.
    explicit Reading(Checker &checker, std::vector<uint8_t> apart = {})
        : checker_(checker), line_(checker.line()), plan_(checker.plan()),
          apart_(std::move(apart)) {}

    bool counts(const Inconsistency &e, uint64_t time);

  private:
    bool is_lost(Object head, uint32_t type, uint64_t time);
    // Whether it is one if only the edges of objects that roots lead to count in degrees.
    bool is_wrong_among_rooted(const Inconsistency &e, uint64_t time);
    bool is_rooted(Object object, uint32_t type);

    Checker &checker_;
    const Timeline &line_;
    const Plan &plan_;
    std::vector<uint8_t> apart_;
    std::unordered_map<Object, uint64_t> not_lost_; // until when
};

// Whether an object (a head) that cannot be reached is apart; narrows the span.
bool is_apart(const Timeline &line, const Edges &edges, uint32_t roots, Object head, uint64_t time,
              Span &span);
// Those that cannot be reached and are apart, by object; empty if no type has roots.
std::vector<uint8_t> all_apart(const Checker &checker, uint64_t time);

} // namespace heapstory::constraints
