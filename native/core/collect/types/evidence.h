// What the history of a run says of the types of its heap blocks.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks are looked at by their allocation: the innermost frames of their call stacks, up to the
// first function that hands on nothing of any type. Blocks of one allocation have one type.
#pragma once

#include "collect/program/modules.h"
#include "collect/types/layouts.h"
#include "store/store.h"

#include <map>
#include <unordered_map>

namespace heapstory {

// Something is at an offset of the blocks of an allocation. How it is known:
enum class Source : uint8_t {
    receiver = 1, // the variable or field that the allocation is assigned to
    store = 2,    // stores through a typed pointer
    value = 4,    // typed pointers to it that were stored
    field = 8,    // typed fields that pointed to it
    vtable = 16   // its virtual table
};

struct Claim {
    uint64_t offset = 0;
    TypeId type = no_type;
    auto operator<=>(const Claim &) const = default;
};

struct Allocation {
    std::vector<uint32_t> stacks;
    uint64_t blocks = 0, least = 0, most = 0; // sizes
    bool by_new = false;                      // C++: of just the size of a type, or of several
    TypeId allocator = no_type;               // what the code of an allocator says, if it is in one
    std::map<Claim, unsigned> claims;         // and their sources
    std::map<std::pair<uint64_t, uint32_t>, uint64_t> pointers; // by offset and target: how many

    void claim(uint64_t offset, TypeId type, Source source) {
        if (type != no_type)
            claims[{offset, type}] |= unsigned(source);
    }
};

class Evidence {
  public:
    Evidence(const Store &store, Modules &modules);
    std::vector<Allocation> take() { return std::move(allocations_); }

  private:
    void group_stacks();
    void count_blocks();
    void add_results();
    void read_stores();
    void read_segment(const SlotSegment &segment, const EventsView &view, uint64_t first_event);
    bool wanted(uint32_t site);
    void read(const Slot &slot, uint64_t event);
    void read_pointer(const NodeRow &holder, uint64_t offset, uint64_t value, uint64_t event,
                      const StoredTypes *told);
    const StoredTypes *told_by(uint32_t site);
    Allocation *allocation_of(const NodeRow &row) {
        const uint32_t index =
            row.kind == NodeKind::heap && row.stack < of_stack_.size() ? of_stack_[row.stack] : 0;
        return index ? &allocations_[index] : nullptr;
    }

    const Store &store_;
    Modules &modules_;
    Layouts layouts_;
    std::vector<Allocation> allocations_{{}}; // 0: none
    std::vector<uint32_t> of_stack_;
    std::vector<uint32_t> seen_;                           // by site: how often
    std::unordered_map<uint32_t, StoredTypes> told_;       // by site
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> of_; // first site of an instruction
    std::vector<Slot> slots_;
};

} // namespace heapstory
