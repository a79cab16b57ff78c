// Histories of calls, step by step: what can happen next, and what comes of it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/ir/found.h"

#include <chrono>
#include <set>

namespace heapstory::explore::ir {

struct World {
    Memory memory;
    std::array<Thread, most_threads> threads;
    std::vector<Call> calls;
    std::array<int32_t, most_threads> running{}; // the call of each thread, -1 where there is none
};

// One thing that can happen: a thread goes on, or begins a call.
struct Move {
    int32_t thread;
    int32_t operation = -1; // -1: it goes on
    int64_t argument = 0;
    bool synchronised = false; // knows all that has happened so far
};

// A move with the alternatives that were taken in it.
struct Made {
    Move move;
    Choices choices;
};

class Histories {
  public:
    Histories(const Code &code, const Limits &limits);

  protected:
    using Time = std::chrono::steady_clock;

    World initial();
    std::vector<Move> moves(const World &world) const;
    // False: the thread waits.
    bool make(World &world, const Move &move, Choices &choices);
    // The way to the state that was just reached, made once more with a record.
    void note(size_t depth, const World &first, const Made &last, bool wrong);
    bool reserved(int32_t thread) const;
    // Ends at the time limit, or if somebody says so.
    bool late();

    const Code &code_;
    Limits limits_;
    Machine machine_;
    Found found_;
    std::vector<Made> path_;

  private:
    // The memory after the initialiser; where that has a fault, it is found now.
    void set_up(World &world);
    void calls(const World &world, int32_t thread, std::vector<Move> &found) const;
    // Whether it is the next operation of a thread that has a program.
    bool is_next(const World &world, int32_t thread, int32_t operation) const;
    // What a thread that makes no more calls has seen does not matter.
    void retire(World &world) const;
    void begin(World &world, const Move &move);
    void synchronise(Memory &memory, int32_t thread) const;
    void end(World &world, int32_t t);
    void collect(const World &world);
    void take_faults();
    void again(World &world, Made each);

    Time::time_point end_;
    std::set<Fault> known_;
};

} // namespace heapstory::explore::ir
