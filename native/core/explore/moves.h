// What can happen next in a state.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/world.h"

#include <functional>
#include <set>
#include <tuple>

namespace heapstory::explore {

struct Limits {
    int32_t operations; // instances in all
    int32_t width;      // that have not answered, at a time
    int32_t keys;       // arguments that are compared range over 1 … keys
};

// A move is one step that others can notice. The steps before a call's first such step belong to
// it, because a call that begins later has fewer excuses; the silent steps that follow belong to it
// as well, because an answer that comes earlier has fewer, too. Loops stop both.
class Moves {
  public:
    using Emit = std::function<void(World &)>;

    Moves(const Program &program, Model &model, Names names, Limits limits);

    World initial();
    // Calls emit(world) for every move, always in the same order. A world without orders is one
    // whose answers cannot be explained.
    void from(const World &world, const Emit &emit);

    Widths widths() const { return widths_; }
    // (operation, step) that ran, and the operations that ended.
    const std::set<std::pair<int32_t, int32_t>> &ran() const { return ran_; }
    const std::set<int32_t> &ended() const { return ended_; }
    using Faults = std::set<std::tuple<int32_t, int32_t, Fault>>; // operation, step, what
    const Faults &faults() const { return faults_; }

  private:
    void calls(const World &world);
    void call(const World &world, int32_t operation, const Words &arguments);
    void step(const World &world, size_t slot);
    bool run(World &world, size_t slot, const Words &choice);
    void tail(World &world, size_t slot);
    void leave_loop(const World &world, size_t slot);
    void note(World &world, size_t slot, bool answered, const Words &answer);
    void finish(World &world, size_t slot);
    void respond(World &world, size_t slot, bool says, const Words &answer);
    void forget(World &world, size_t slot);
    void owners(const World &world);
    const Step &next_step(const World &world, size_t slot) const;
    bool at_end(const World &world, size_t slot) const;

    const Program &program_;
    Model &model_;
    Names names_;
    Limits limits_;
    Widths widths_{};
    Machine machine_;
    const Emit *emit_ = nullptr;
    Words owners_, saved_owners_;
    bool visible_ = false;
    std::set<std::pair<int32_t, int32_t>> ran_;
    std::set<int32_t> ended_;
    Faults faults_;
};

} // namespace heapstory::explore
