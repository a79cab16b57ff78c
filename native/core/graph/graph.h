// The memory graph as of a timestamp.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/image.h"
#include "graph/live_index.h"
#include "store/store.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heapstory {

enum class EdgeState : uint8_t { live, stale, null, data };
std::string_view name_of(EdgeState state);

struct GraphNode {
    uint64_t id = 0;
    NodeRow row;
    bool root = false; // a stack slot or register, found by a scan
    std::string name;  // roots
    TypeId type = no_type;
    bool lost = false;
};

struct GraphEdge {
    uint64_t source = 0, offset = 0, value = 0;
    uint32_t size = 8;
    uint64_t target = 0, target_offset = 0; // target 0: none
    EdgeState state = EdgeState::data;
    uint64_t event = 0;
    uint32_t site = 0; // 0: from before the recording, or zeroed by the allocator
    bool initial = false;
};

// What a pointer stored by event `stored` means after `now` events: the node alive then that holds
// it if it was born before the pointer was stored, otherwise, stale, the node that held it at that
// time.
struct Meaning {
    uint64_t target = 0, offset = 0;
    EdgeState state = EdgeState::data;
};

// Answers for single nodes and pointers, without putting the whole graph together.
class Pointers {
  public:
    explicit Pointers(const Store &store);
    bool may_be_pointer(uint64_t value) const { return value - low_ < high_ - low_; }
    Meaning meaning(uint64_t value, uint64_t stored, uint64_t now) const;

  private:
    const Store &store_;
    uint64_t low_ = 0, high_ = 0; // all heap nodes and globals ever lie in between
};

class Graph {
  public:
    // `freed`: keep nodes after their end, with what they held last.
    Graph(const Store &store, const Pointers &pointers, uint64_t at, bool freed);

    uint64_t at() const { return at_; }
    const std::vector<GraphNode> &nodes() const { return nodes_; }
    // In order of source address and offset. With data: words that are no pointers, too.
    std::vector<GraphEdge> edges(bool data) const;
    const std::vector<GraphEdge> &pointers() const { return pointer_edges_; } // edges(false)
    bool scanned() const { return scanned_; } // roots are known, so lost nodes are too

  private:
    void find_nodes(bool freed);
    void add_edges(const GraphNode &node, bool data, std::vector<GraphEdge> &out) const;
    void add_freed_edges(const GraphNode &node, bool data, std::vector<GraphEdge> &out) const;
    void add_word(const GraphNode &node, uint64_t word, uint64_t value, uint8_t mask,
                  GraphEdge edge, bool data, std::vector<GraphEdge> &out) const;
    std::vector<GraphEdge> edges_between(size_t first, size_t end, bool data) const;
    const GraphNode *find(uint64_t address) const;
    void find_roots();
    bool propagate_types();
    void find_lost();

    const Store &store_;
    const Pointers &pointers_;
    uint64_t at_, events_;
    std::unique_ptr<Image> image_;
    std::vector<GraphNode> nodes_; // by address, roots last
    LiveIndex live_;
    size_t heap_and_globals_ = 0; // how many of nodes_ are no roots
    std::vector<GraphEdge> root_edges_, pointer_edges_;
    bool scanned_ = false;
};

// What one node holds after n events: the same edges as Graph's.
std::vector<GraphEdge> fields_of(const Store &store, const Pointers &pointers, uint64_t node,
                                 uint64_t n);
// Who points to a node after n events.
std::vector<GraphEdge> incoming_of(const Store &store, const Pointers &pointers, uint64_t node,
                                   uint64_t n);

// The type of the field at an offset of a node of this type (arrays repeat), no_type if unknown.
TypeId field_type(const Tables &tables, TypeId type, uint64_t offset);

} // namespace heapstory
