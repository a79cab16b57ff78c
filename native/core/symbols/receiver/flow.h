// Follows a returned pointer through the instructions behind the call. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/elf/image.h"

namespace heapstory {

// An address as the code computes it: a root, then steps that are each added and, except for the
// last, loaded from. `p->next->value` with p at rbp-8 is the root rbp with the steps -8, 0, 16.
struct Path {
    struct Step {
        int64_t offset = 0;
        bool indexed = false; // plus an unknown multiple of an element's size
        bool operator==(const Step &) const = default;
    };
    static constexpr int absolute = -1;
    int root = absolute; // DWARF register
    uint64_t when = 0;   // the instruction before which the register is read
    uint64_t now = 0;    // the instruction behind the store; 0: unknown
    std::vector<Step> steps;
    bool operator==(const Path &other) const {
        return root == other.root && when == other.when && steps == other.steps;
    }
};

// What the instructions mean. The types are those of the thing pointed to.
class FlowMeaning {
  public:
    virtual ~FlowMeaning() = default;
    // The pointer was stored there. Nothing if that place is unknown, no_type for void *.
    virtual std::optional<TypeId> stored(const Path &path) = 0;
    // The pointer is an argument of a call; no_type if unknown.
    virtual TypeId passed(uint64_t callee, int argument) = 0;
    // The function returns the pointer.
    virtual TypeId returned() = 0;
    virtual bool inside(uint64_t address) = 0; // the same function
};

struct FlowResult {
    TypeId type = no_type;
    TypeId argument = no_type; // what it was passed on as before it was stored
    bool stored = false;       // the instruction that stores it was seen
    // Before which instructions which registers (bits by DWARF number) hold the pointer.
    std::vector<std::pair<uint64_t, uint32_t>> held;
};

// `statements` are addresses at or before the call, best first: the first from which straight-line
// code leads to the call tells what the preserved registers were loaded with.
FlowResult follow_result(const ElfImage &image, const std::vector<uint64_t> &statements,
                         uint64_t return_address, FlowMeaning &meaning);

// Where an instruction stores, and what if that is a pointer: in terms of the registers at the
// first of the statements from which straight-line code leads to it.
struct StoreFlow {
    Path address;
    std::optional<Path> value;
    int value_register = -1; // DWARF number
};
std::optional<StoreFlow> follow_store(const ElfImage &image,
                                      const std::vector<uint64_t> &statements, uint64_t pc,
                                      FlowMeaning &meaning);

} // namespace heapstory
