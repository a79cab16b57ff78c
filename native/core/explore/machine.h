// Runs single steps of a program.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/memory.h"

#include <span>

namespace heapstory::explore {

// Who runs: its name, its locals, and which nodes only it can reach.
struct Runner {
    int32_t id;
    std::span<int32_t> locals;
    int32_t mark;  // what `owners` holds for its nodes
    Words *owners; // by node; nullptr: no node is anyone's own
};

// What C would not allow. A specification only waits there, and reads what is left in the node.
enum class Fault : uint8_t { none, null, freed, freed_twice, no_value };

struct Outcome {
    bool ran = false;
    Fault fault = Fault::none;
    bool visible = false; // others can tell whether it ran
    bool answered = false;
    Words answer;
};

class Machine {
  public:
    explicit Machine(const Program &program) : program_(program) {}

    const Program &program() const { return program_; }

    // The memory before any operation.
    Memory initial();

    // All ways to choose in a step: the nodes it picks, then where its first allocation lands (0: a
    // new node). None where there is no node to pick.
    std::vector<Words> choices(const Memory &memory, const Step &step);

    // Runs a step with a choice. Where it cannot run, memory and locals are left half changed.
    const Outcome &run(Memory &memory, const Runner &runner, const Step &step, const Words &choice);

  private:
    enum class End { ran, failed, blocked };
    End execute(const int32_t *code, const int32_t *end);
    End no_node(int32_t kind, int32_t slot, const int32_t *code, const int32_t *end);
    int32_t pop();
    bool own(int32_t node) const;
    bool follows(int32_t node);
    int32_t allocate(int32_t kind);
    void store(int32_t node, int32_t number, int32_t value);
    void publish(int32_t node);

    const Program &program_;
    Memory *memory_ = nullptr;
    Runner runner_{};
    int32_t place_ = 0;
    Words stack_;
    Outcome outcome_;
};

} // namespace heapstory::explore
