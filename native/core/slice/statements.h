// Which statement each instruction belongs to, and when statements ran.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/handed.h"
#include "slice/prepared.h"
#include "slice/slice.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace heapstory::slice {

// Statements are numbers from 1, given by who knows source code; 0 is code that nobody asks about:
// what it does counts for the statement that called it.
class Statements {
  public:
    Statements(const Prepared &prepared, std::span<const uint64_t> addresses,
               std::span<const uint32_t> numbers);

    uint32_t of(uint32_t block, unsigned instruction) const {
        return of_[first_[block] + instruction];
    }
    // Of the instruction at an address.
    uint32_t at(uint64_t address) const {
        auto found = by_address_.find(address);
        return found == by_address_.end() ? 0 : found->second;
    }
    bool any_in(uint32_t block) const { return any_[block]; }
    uint32_t count() const { return count_; } // numbers are 1 .. count()

  private:
    std::unordered_map<uint64_t, uint32_t> by_address_;
    std::vector<uint32_t> first_; // by block
    std::vector<uint32_t> of_;
    std::vector<bool> any_;
    uint32_t count_ = 0;
};

// One execution of a statement: its instructions, in order.
struct StatementRun {
    std::vector<Point> instructions;
    std::vector<Point> arguments; // others of the activation that set up arguments for its calls
    std::vector<Handed> handed; // arguments and results of these that no instruction of it touches
    Point after;       // where it is over; if it ends with a call, where the activation goes on
    uint64_t next = 0; // the instruction with which the activation goes on; 0: it does not
    uint64_t activation = 0;
    uint64_t stack = 0; // where the activation's return address lies; 0: unknown
};

// The function that the code at an address is of, as a number; 0: unknown.
using FunctionAt = std::function<uint64_t(uint64_t address)>;

// An execution of a statement begins where an activation comes to one of its instructions for the
// first time, and where it goes back to one: to an address not above that of the instruction of the
// statement that it ran last. Calls are stepped over. So an iteration of a loop is an execution of
// its own, and instructions that a compiler moved in between do not end one.
class StatementRuns {
  public:
    // Of a statement that has these instructions, before a point (none: in the whole stream).
    StatementRuns(const Prepared &prepared, std::span<const uint64_t> addresses,
                  std::optional<Point> before, FunctionAt function);

    uint64_t count() const { return runs_.size(); }
    // 1 is the first, -1 the last; none if there are not as many.
    std::optional<StatementRun> find(int64_t number) const;

  private:
    struct Visited;
    // Those that ran in one sequence, in order, until the visitor says false.
    template <class Visit> void each_instruction(uint32_t sequence, Visit visit) const;
    void find_end(StatementRun &run) const;
    std::optional<CallMade> call_at(const stream::Sequence &sequence,
                                    const Activations &activations, const StatementRun &run,
                                    Point point) const;
    bool goes_elsewhere(const stream::Sequence &sequence, const Activations &activations,
                        uint32_t at) const;
    void find_arguments(StatementRun &run) const;

    struct Run {
        Point first, last;
        uint64_t activation = 0;
    };
    const Prepared &prepared_;
    const Statements wanted_; // all are number 1
    const std::optional<Point> before_;
    const FunctionAt function_;
    std::vector<Run> runs_;
};

} // namespace heapstory::slice
