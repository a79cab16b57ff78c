// Reads the fields of one node after the other: what they hold is edges.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/edges.h"
#include "graph/memory/image.h"
#include "graph/nodes/graph_node.h"
#include "graph/nodes/live_index.h"
#include "graph/nodes/type_propagation.h"

#include <vector>

namespace heapstory {

// Everything at one moment of a trace.
struct Moment {
    const Store &store;
    const Pointers &pointers;
    uint64_t events; // so many have happened
    const LiveIndex &live;
    const Image &image;
    const Clock &clock;
};

// Nodes of unknown type up to this size are guessed about: what holds much more is often a buffer
// of zeros.
constexpr uint64_t largest_guessed = 512;

// All edges, or the pointers that mean one node.
struct Wanted {
    uint64_t node = 0;            // 0: all
    uint64_t first = 0, size = 0; // where all values lie that may mean it

    bool may_be(uint64_t value) const { return !node || value - first < size; }
    bool is(uint64_t target) const { return !node || target == node; }
};

class EdgeFinder {
  public:
    // With data: words that are no pointers, too. With guesses: zeros in small nodes of unknown
    // type are taken for NULL pointers until the types are known.
    EdgeFinder(const Moment &moment, bool data, bool guess, const Wanted &wanted, uint64_t most)
        : at_(moment), data_(data), guess_(guess), wanted_(wanted), out_(most) {}

    void add(const GraphNode &node, uint32_t index);
    Batches finish();
    // The pointers seen that lead to nodes of unknown type.
    std::vector<TypeHint> hints;
    struct Guess {
        RowPosition at;
        uint32_t node = 0; // its index
    };
    std::vector<Guess> guesses;

  private:
    // A word that waits for the caches: what it means lies far apart for each.
    struct Waiting {
        Edge edge;
        uint64_t starts = 0; // how many live nodes start up to the value
        uint32_t index = 0;
        enum class Kind : uint8_t { known, pointer, guess } kind = Kind::known;
    };
    void add_live(const GraphNode &node, uint32_t index);
    void add_freed(const GraphNode &node, uint32_t index);
    void add_word(const GraphNode &node, uint32_t index, uint64_t word, uint64_t value,
                  uint8_t mask, Edge edge);
    bool guesses_about(const GraphNode &node) const {
        return guess_ && node.untyped() && node.row.size <= largest_guessed;
    }
    void flush();
    void resolve(Waiting &waiting);

    const Moment at_;
    const bool data_, guess_;
    const Wanted wanted_;
    EdgeWriter out_;
    std::vector<Waiting> waiting_;
};

} // namespace heapstory
