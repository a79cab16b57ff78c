// Nodes as the modes portable and internals find them: the records of docs/internals/portable.md.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/chunks/output.h"
#include "collect/chunks/shadow.h"
#include "collect/heap/open_table.h"
#include "collect/input/records.h"
#include "collect/program/call_stacks.h"
#include "collect/program/sites.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace heapstory {

class FoundNodes {
  public:
    FoundNodes(Output &output, Shadow &shadow, const CallStacks &stacks, Sites &sites)
        : output_(output), shadow_(shadow), stacks_(stacks), sites_(sites) {}

    // HSW_MODE and the tags after it.
    void take(const Record &record);
    // HSW_ALLOC, HSW_FREE_BLOCK, HSW_REALLOC and HSW_REALLOC_OLD with HSW_TRUTH.
    void truth(const Record &record);
    // Whether a live node holds the address that an allocator returned, other than the one which
    // holds `except`.
    bool is_allocated(uint64_t address, uint64_t except);

  private:
    struct Node {
        uint32_t number = 0; // the recorder's
        uint64_t id = 0;     // in the trace
        uint64_t address = 0, size = 0;
        Allocator how = Allocator::unknown;
    };
    void begin_change();
    void begin(const Record &record);
    void join(const Record &record);
    void resize(Node &node, uint64_t address, uint64_t size);
    void split(const Record &record);
    void end(const Record &record);
    void forget_moved(uint64_t kept);
    void suspect(const Record &record);
    // By the recorder's number, in the lower half of a value; none if it is not alive.
    Node *find(uint64_t value);
    uint64_t id_of(uint64_t value); // in the trace, 0 if it is not alive
    uint32_t site(uint64_t raw);
    uint32_t stack(uint64_t raw);

    Output &output_;
    Shadow &shadow_;
    const CallStacks &stacks_;
    Sites &sites_;
    uint64_t mode_ = 0; // enum hsw_mode
    OpenTable<Node, &Node::number> live_;
    std::vector<std::pair<uint64_t, uint64_t>> extents_; // of those, sorted; empty: to be made
    std::optional<Node> moved_; // ended by a reallocation; whether its words are kept is not known
    std::optional<Record> suspicious_;  // until HSW_SUSPECT follows
    std::optional<Record> reallocated_; // the truth's new block, until the old one is named
};

} // namespace heapstory
