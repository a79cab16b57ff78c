// The functions under way in a thread, as they were written: those that were called and, between
// them, those that were inlined.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// When an inlined function begins and ends is not recorded. It is known at a call, which the
// compiler moves no store across: the path of the call site says which inlined functions the call
// is in. Those that it is not in have ended. Stores in between are noted only. An inlined function
// that makes the same call once more was entered again, or has a loop: a *round* of it has ended.
// If it has stored or called from further up in its source in this round, and not since the last
// call, it is a loop.
#pragma once

#include "constraints/cpoints/code.h"

#include <map>
#include <vector>

namespace heapstory::constraints {

struct Level {
    Function function;
    uint32_t call = 0; // 0: it was inlined, or is what called the first function recorded
    Inlined inlined;
    uint32_t site = 0;        // inlined: a statement in it
    std::set<uint32_t> heads; // inlined: sites that stored before its first call
    std::set<uint32_t> calls; // inlined: sites of the calls in this round
    uint32_t top = ~0u;       // inlined: the first line of this round
    uint32_t turns = 0;       // inlined: how often one was made again in a loop
    bool outermost = false;   // main, or what a thread begins with
    bool own = false;         // it belongs to the structure: what it calls is part of its operation
    bool holds_own = false;   // it does, or something inlined into it
    bool covered = false;     // a level above it belongs
    size_t first = 0;         // the first level of the same function
    std::vector<size_t> inside; // C-points at returns to it
};

// What the levels of a thread tell as they come and go.
class Endings {
  public:
    virtual ~Endings() = default;
    // The level has ended, and is no longer among the levels.
    virtual void ended(Level &level, uint64_t time) = 0;
    // A round of an operation that was inlined has; it is among the levels.
    virtual void round_ended(Level &level, uint64_t time) = 0;
};

class Levels {
  public:
    static constexpr size_t no_level = ~size_t(0);

    Levels() : levels_(1) {}

    Level &top() { return levels_.back(); }
    std::vector<Level> &all() { return levels_; }
    bool has_call(uint32_t call) const;
    bool is_called_last(uint32_t call) const { return levels_[called()].call == call; }

    // The statement of a store to the structure. Gives the operation that it is in if that was
    // inlined.
    const Inlined *store(const CodePath &path, uint32_t site, uint64_t time);
    // A call: what has ended before it, and the inlined functions that it is in.
    void before_call(StructureCode &code, uint32_t site, uint64_t time, Endings &endings);
    void call(Level level, uint64_t time);
    // What was inlined into the function that returns has ended; a call that is not the last one
    // returns by an exception or a longjmp.
    Level leave(uint32_t call, uint64_t time, Endings &endings);

    // The first level that belongs, but for the outermost; it may be an inlined function that
    // has only been seen to store.
    bool is_in_operation() const { return operation_ != no_level; }
    uint64_t operation_began() const { return began_; }
    std::vector<std::pair<uint64_t, uint64_t>> runs; // of the operation, (from, to]

  private:
    using Points = std::vector<size_t>;
    size_t called() const; // the last level that was called
    void note_compiled_into(const CodePath &path);
    bool is_begun(const CodePath &path, StructureCode &code) const;
    void go_to(const CodePath &path, uint32_t site, uint64_t time, Endings *endings, Points &later);
    void count_calls(size_t known, StructureCode &code, uint32_t site, uint64_t time,
                     Endings &endings);
    uint32_t first_line(size_t level, StructureCode &code, uint32_t call) const;
    uint64_t round_end(const Level &level, uint64_t time) const;
    void push(Level level, uint64_t began);
    Level pop();

    std::vector<Level> levels_; // from the outermost
    size_t operation_ = no_level;
    uint64_t began_ = 0;
    struct Stored {
        uint64_t time;
        uint32_t site;
    };
    // In inlined functions, since the last call or return: each statement's last one.
    std::vector<Stored> stores_;
    std::map<Function, size_t> first_;
};

} // namespace heapstory::constraints
