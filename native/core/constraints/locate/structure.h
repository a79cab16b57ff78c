// The objects of a plan with every version of their fields, and the engine on top.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/cpoints/cpoints.h"
#include "constraints/load/synthetic.h"
#include "constraints/locate/answer.h"
#include "constraints/search/forward.h"

#include <memory>
#include <vector>

namespace heapstory::constraints {

struct Location;

class Structure {
  public:
    // Loads what a plan reads out of a trace.
    Structure(std::shared_ptr<const Store> store, Plan plan, uint64_t until = forever);
    // Without a trace.
    Structure(Plan plan, const std::vector<SourceBlock> &blocks,
              const std::vector<GivenWrite> &writes, uint64_t last);
    Structure(const Structure &) = delete; // its parts refer to each other
    Structure &operator=(const Structure &) = delete;

    Counts counts() const;
    double load_seconds() const { return load_seconds_; }

    // All inconsistencies as of a moment, from scratch.
    std::vector<FoundInconsistency> check(uint64_t at);
    // C-points in order of time, no two at the same moment.
    // Strictly, or only what is wrong with structures (`Reading`).
    LocateAnswer locate(const std::vector<CPoint> &points, bool strict = true);
    CPointAnswer cpoints(const CPointQuery &query) const;
    // What the changes at some moments did.
    std::vector<Operation> operations(std::vector<uint64_t> times) const;

  private:
    uint64_t statement_of(uint32_t site) const;
    void describe(const Location &location, LocateAnswer &out) const;
    ObjectPlace place_of(Object object) const;
    std::optional<FieldPlace> place_of_cell(uint32_t cell) const;
    FoundInconsistency described(const Inconsistency &found) const;
    std::vector<FoundInconsistency> described(const std::vector<Inconsistency> &found) const;
    std::optional<HeldValue> described(const Version *version, uint64_t time) const;
    void add_lives(const std::vector<uint64_t> &times, std::vector<Operation> &out) const;
    void add_stores(const std::vector<uint64_t> &times, std::vector<Operation> &out) const;

    std::shared_ptr<const Store> store_;
    Plan plan_;
    Timeline line_;
    std::unique_ptr<Texts> texts_;
    std::unique_ptr<Checker> checker_;
    double load_seconds_ = 0;
};

} // namespace heapstory::constraints
