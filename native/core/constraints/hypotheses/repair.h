// Which single operation, had it stored or freed something else, would leave nothing wrong.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Algorithm 3 names all operations that had a hand in an inconsistency. Where the structure would
// be whole with another value in one field, the last write of that field is decisive: also if it
// only failed to mend what operations before it had opened, and so contributed to nothing.
//
// The questions "what if this field held that?" are put as a future of the structure: a second
// timeline holds it as it is at the C-point, and after that one hypothesis after the other, each
// taken back before the next. So the spans of the answers say which of them a hypothesis touches.
#pragma once

#include "constraints/search/traceback.h"

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <vector>

namespace heapstory::constraints {

class Repair {
  public:
    // Why an operation is decisive.
    enum class Grade : uint8_t {
        value,    // a value is known that it could have stored, with which nothing is wrong
        omission, // a value is known for a field beside those it wrote, which was left as it was
        derived,  // a value is known if the numbers that were written after it may be others too
        followed  // a value is known if a store after it belongs into the object it leads to
    };
    struct Decision {
        Grade grade;
        uint32_t cell = none; // that should hold something else, if it is one
        bool unsafe = false;  // it holds an address that is nobody's
    };
    using Decisive = std::map<uint64_t, Decision>; // by the timestamp of the operation

    using StatementOf = std::function<uint64_t(uint32_t site)>;

    // `floor`: a moment at which nothing was wrong, 0 if none is known.
    Repair(Checker &checker, uint64_t time, uint64_t floor, StatementOf statement_of);

    // Whether a structure is small enough to be put to the question.
    static bool asks(const Timeline &line) { return line.objects() <= most_objects; }
    // The decisive operations, all of one grade: the first that any is of. The faults that were
    // traced back are asked about in any case, all other operations since `floor` only where they
    // are few.
    Decisive run(const std::vector<Inconsistency> &found, const std::vector<Fault> &faults);

  private:
    static constexpr size_t most_objects = 20'000;

    struct Change {
        uint32_t cell;
        Version version;
    };
    struct Hypothesis {
        uint64_t operation;
        std::vector<Change> changes;
        uint32_t revived = none; // block
        bool only_open = false;  // if nothing is wrong then, the others of its group say nothing
    };
    struct Unit {
        uint64_t until;
        uint32_t constraint;
        Object object;
        bool operator<(const Unit &other) const { return until > other.until; }
    };
    static constexpr Version unknown{0, 0, 0, unknown_target}, open{0, 0, 0, open_target};
    static bool same(const Version &a, const Version &b) {
        return a.value == b.value && a.target == b.target;
    }
    static void add_once(std::vector<Version> &values, const Version &value);
    static uint64_t moment(size_t hypothesis) { return 2 + 2 * hypothesis; }

    void add_origins(Decisive &decisive) const;
    Decisive ask(std::vector<Inconsistency> found, Grade grade);
    void gather_cells(const std::vector<uint64_t> &suspects);
    void gather_wanted(const std::vector<Inconsistency> &found);
    void gather_pool(const std::vector<Inconsistency> &found);
    void add_to_pool(Object object);
    void suppose_at_hand();
    void suppose_values(uint32_t cell);
    void suppose_widely();
    void suppose_widely(uint32_t cell, size_t most);
    void suppose_statements();
    void suppose_statement(const std::vector<uint32_t> &cells);
    std::vector<uint32_t> cells_into(std::span<const uint32_t> blocks) const;
    void suppose_revived(uint32_t block, const std::vector<uint32_t> &leading);
    std::optional<Version> revived(const Version *version, uint32_t block) const;
    void suppose_rewritten(const Hypothesis &revived, uint32_t block);
    void suppose_misplaced();
    void suppose_derived();
    void suppose_followed();
    void suppose_followed(uint32_t cell, uint32_t later);
    void suppose_omissions();
    void suppose_omission(uint32_t cell, uint64_t last);
    void suppose(uint64_t operation, std::vector<Change> changes);
    bool was_there(const Version &value, uint64_t operation) const;
    std::vector<Version> pointers_for(uint32_t cell) const;
    std::vector<Version> numbers_for(uint32_t cell) const;
    std::vector<Version> values_for(uint32_t cell) const;
    Version with_number(uint32_t cell, uint64_t number) const;
    uint64_t number_in(uint32_t cell, const Version &version) const;
    const Version *before(uint32_t cell) const;
    const PlanField &field_of(uint32_t cell) const;
    bool holds_address(uint32_t cell) const;
    bool holds_number(uint32_t cell) const;
    const Version *held(uint32_t cell) const {
        Span unused;
        return line_.at(cell, time_, unused);
    }
    // Not what the block began with.
    bool was_stored(uint32_t cell) const {
        return held(cell)->since > line_.birth[line_.owner(cell)];
    }
    bool is_unsafe(uint32_t cell) const;
    Version frozen(const Version *version) const;
    Version pointer_to(Object object) const;
    Timeline future() const;
    void begin(Checker &checker);
    bool is_fine(Checker &checker, Unit unit, uint64_t at);
    static bool all_depend(Checker &checker, const std::vector<Inconsistency> &found,
                           std::vector<uint64_t> &untils, size_t first, size_t end);
    bool is_whole(Checker &checker, size_t hypothesis, const std::vector<Inconsistency> &found);

    Checker &checker_;
    const Timeline &line_;
    const Plan &plan_;
    uint64_t time_, floor_;
    StatementOf statement_of_;
    std::vector<uint32_t> cells_;  // whose value is asked about, in the order of the writes
    std::vector<uint32_t> open_;   // with which unknown nothing is wrong
    std::vector<uint32_t> deaths_; // blocks whose end is asked about
    std::vector<Object> pool_;     // objects that a pointer could have meant
    std::map<uint32_t, std::set<uint64_t>> wanted_; // numbers that fields are compared with
    std::map<Object, uint64_t> written_; // heads that were written or made, and when last
    std::vector<Hypothesis> hypotheses_;
    std::vector<size_t> groups_; // ends of those about the same fields
    bool begun_ = false;
    std::vector<Unit> fresh_;         // units that were not looked at yet, once begun_
    std::priority_queue<Unit> units_; // those whose answer ends
};

} // namespace heapstory::constraints
