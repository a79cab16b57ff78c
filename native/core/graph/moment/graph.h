// The memory graph as of a timestamp.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/edge_finder.h"
#include "graph/edges/lost.h"
#include "graph/edges/pointers.h"
#include "graph/memory/image.h"
#include "graph/nodes/graph_node.h"
#include "graph/nodes/live_index.h"
#include "graph/nodes/roots.h"
#include "store/store.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heapstory {

class Graph {
  public:
    // `freed`: keep nodes after their end, with what they held last.
    // With `wanted`: only the pointers that mean one node; neither types nor what is lost.
    Graph(const Store &store, const Pointers &pointers, uint64_t at, bool freed,
          const Wanted &wanted = {});

    uint64_t at() const { return at_; }
    uint64_t events() const { return events_; }               // that have happened by then
    const Values<GraphNode> &nodes() const { return nodes_; } // by address, roots last
    // The variable, register or slot; empty for heap nodes.
    const std::string &name_of(const GraphNode &node) const;
    // The node it was split off, 0 if none.
    uint64_t source_of(const GraphNode &node) const {
        return node.root ? 0 : store_.nodes().lineage().source_of(node.id);
    }
    // In order of source address and offset. With data: words that are no pointers, too.
    Batches edges(bool data) const;
    const Batches &pointers() const { return pointer_edges_; } // edges(false)
    // What leads to each of nodes(), roots excepted; where they were scanned.
    std::vector<Judged> reach(const Judging &judging) const {
        return classify(known(), pointer_edges_, judging);
    }
    bool scanned() const { return scanned_; } // roots are known, so lost nodes are too

  private:
    // Some of the nodes and what they hold, one thread's work.
    struct Piece {
        size_t first = 0, end = 0; // indices
        Batches edges;
        std::vector<EdgeFinder::Guess> guesses;
    };
    std::span<GraphNode> known() { return {nodes_.data(), heap_and_globals_}; }
    std::span<const GraphNode> known() const { return {nodes_.data(), heap_and_globals_}; }
    void find_roots(const std::vector<ScannedWord> &words);
    std::vector<Piece> cut() const;
    // Returns what was seen on the way.
    TypeHints find_edges(Piece &piece, bool data, bool guess) const;
    void check_guesses(Piece &piece) const;
    Batches gather(std::vector<Piece> pieces) const;
    void find_pointers();

    const Store &store_;
    const Pointers &pointers_;
    const Wanted wanted_;
    uint64_t at_, events_;
    Values<GraphNode> nodes_;
    size_t heap_and_globals_ = 0; // how many of nodes_ are no roots
    std::vector<std::string> root_names_;
    std::vector<Edge> root_edges_;
    LiveIndex live_;
    Clock clock_;
    std::unique_ptr<Image> image_;
    Batches pointer_edges_;
    bool scanned_ = false;
};

// What one node holds after n events: the same edges as Graph's.
Batches fields_of(const Store &store, const Pointers &pointers, uint64_t node, uint64_t n);
// The pointers that mean a node at a timestamp: those of Graph, for less work.
Batches pointers_to(const Store &store, const Pointers &pointers, uint64_t node, uint64_t at);

} // namespace heapstory
