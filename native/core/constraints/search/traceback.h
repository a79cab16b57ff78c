// From inconsistencies back to the operations that brought them about: Algorithm 3.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// The thesis rolls back one operation at a time and checks all constraints after each. Here every
// pending inconsistency knows since when its arguments are what they are, and the search jumps from
// one such moment to the one before. Inconsistencies of that earlier moment that the operation had
// a hand in are found among the units whose dependencies changed there.
#pragma once

#include "constraints/search/forward.h"
#include "constraints/search/radix_heap.h"

#include <cstdint>
#include <queue>
#include <set>
#include <unordered_set>
#include <vector>

namespace heapstory::constraints {

struct Fault {
    enum class Relation : uint8_t {
        direct, // it contributed to an inconsistency of the C-point itself
        fed,    // it wrote, freed or made up a value that such an inconsistency reads
        related // it contributed to another one that led there
    };
    uint64_t time = 0; // of the operation
    Relation relation = Relation::direct;
    std::vector<Inconsistency> contributed_to;
};

class Traceback {
  public:
    // `floor`: a moment at which nothing was wrong, 0 if none is known.
    Traceback(Checker &checker, const Forward &forward, uint64_t time, uint64_t floor);

    // The faulty operations: by relation, then the earliest first.
    std::vector<Fault> run(const std::vector<Inconsistency> &inconsistencies);
    // How many of the inconsistencies were traced back: of very many, some of each constraint.
    size_t traced() const { return traced_; }

  private:
    struct Pending {
        uint64_t since;
        uint32_t number;
        bool operator<(const Pending &other) const { return since < other.since; }
    };

    void add(const Inconsistency &e, uint64_t time, bool direct);
    std::set<uint64_t> cuts(uint32_t constraint);
    void add_fed(const std::vector<Inconsistency> &inconsistencies);
    void push(uint32_t number, uint64_t since);
    // Whether an operation changes the arguments; `before` is narrowed to the time over which they
    // were what they were before it.
    bool changes(const Inconsistency &e, uint64_t time, Span &before);
    void step(uint64_t time, const std::vector<uint32_t> &numbers);
    std::vector<Inconsistency> related(uint64_t time);
    void related_units(uint64_t time, std::vector<Inconsistency> &out);
    void related_globals(uint64_t time, std::vector<Inconsistency> &out);
    void prepare_units();

    Checker &checker_;
    const Timeline &line_;
    const Plan &plan_;
    const Forward &forward_;
    uint64_t time_, floor_;
    std::vector<Inconsistency> known_;
    std::vector<uint8_t> pending_; // by number: it is in P
    std::vector<uint8_t> direct_;  // by number: it is of the C-point itself
    std::unordered_map<Inconsistency, uint32_t, InconsistencyHash> numbers_;
    std::priority_queue<Pending> queue_;
    RadixHeap<Unit> units_; // by when something they depend on changed
    bool prepared_ = false;
    size_t traced_ = 0;
    std::vector<Fault> faults_;
};

} // namespace heapstory::constraints
