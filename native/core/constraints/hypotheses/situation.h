// The structure at a bad C-point, and what hypotheses are made of: the fields and blocks that may
// be to blame, and the objects and numbers that could stand there instead. SPDX-License-Identifier:
// GPL-2.0-or-later
#pragma once

#include "constraints/hypotheses/hypothesis.h"
#include "constraints/search/traceback.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace heapstory::constraints {

// One number for all sites of a statement.
using StatementOf = std::function<uint64_t(uint32_t site)>;

class Situation {
  public:
    // `floor`: a moment at which nothing was wrong, 0 if none is known.
    Situation(const Checker &checker, uint64_t time, uint64_t floor, StatementOf statement_of);
    // The faults that were traced back are asked about in any case, all other operations since
    // `floor` only where they are few.
    void gather(NestedChecker &nested, const std::vector<Inconsistency> &found,
                const std::vector<Fault> &faults);

    const Timeline &line() const { return line_; }
    bool strict() const { return strict_; }
    // The objects that are not lost though no root leads to them, by object.
    const std::vector<uint8_t> &apart() const { return apart_; }
    const Plan &plan() const { return plan_; }
    uint64_t time() const { return time_; }
    uint64_t floor() const { return floor_; }
    uint64_t statement_of(uint32_t cell) const { return statement_of_(held(cell)->site); }

    // Fields whose value is asked about, in the order of the writes.
    const std::vector<uint32_t> &cells() const { return cells_; }
    // Blocks whose end is asked about, the last first.
    const std::vector<uint32_t> &deaths() const { return deaths_; }
    // Objects that a pointer could have meant.
    const std::vector<Object> &pool() const { return pool_; }
    // When an object (a head) was last written or made since `floor`; 0: not since.
    uint64_t last_written(Object head) const;
    // Numbers that a field is compared with.
    const std::set<uint64_t> &compared_with(uint32_t cell) const;

    const PlanField &field_of(uint32_t cell) const;
    bool holds_address(uint32_t cell) const;
    bool holds_number(uint32_t cell) const;
    // A dangling or wild pointer.
    bool holds_wild(uint32_t cell) const;
    const Version *held(uint32_t cell) const {
        Span unused;
        return line_.at(cell, time_, unused);
    }
    // What a field held before its last write.
    const Version *before(uint32_t cell) const;
    // Not what the block began with.
    bool was_stored(uint32_t cell) const {
        return held(cell)->since > line_.birth[line_.owner(cell)];
    }
    // An operation can only have stored a pointer to what was there by then.
    bool was_there(const Version &value, uint64_t operation) const;
    // A version as part of the future: what was freed by the C-point is nobody's.
    Version frozen(const Version *version) const;
    Version pointer_to(Object object) const;

  private:
    void gather_cells(const std::vector<uint64_t> &suspects);
    uint64_t floor_of(Object object) const;
    void gather_deaths();
    void gather_numbers(NestedChecker &nested, const std::vector<Inconsistency> &found);
    void gather_pool(const std::vector<Inconsistency> &found);
    void add_to_pool(Object object);

    const Timeline &line_;
    const Plan &plan_;
    uint64_t time_, floor_;
    bool strict_;
    std::vector<uint8_t> were_apart_, apart_; // at `floor_` and at `time_`
    StatementOf statement_of_;
    std::vector<uint32_t> cells_, deaths_;
    std::vector<Object> pool_;
    std::map<Object, uint64_t> written_;
    std::map<uint32_t, std::set<uint64_t>> compared_;
};

} // namespace heapstory::constraints
