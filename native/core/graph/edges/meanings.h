// What pointers mean, for passes over a whole trace: as Pointers, and faster where every node has
// its memory for itself.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/pointers.h"
#include "graph/nodes/node_lives.h"

namespace heapstory {

class Meanings {
  public:
    Meanings(const Store &store, const Pointers &pointers) : pointers_(pointers), lives_(store) {}

    bool may_be_pointer(uint64_t value) const { return pointers_.may_be_pointer(value); }
    Meaning meaning(uint64_t value, uint64_t stored, uint64_t now) const {
        if (!lives_.simple() || !may_be_pointer(value))
            return pointers_.meaning(value, stored, now);
        uint64_t node = lives_.newest(value, stored);
        if (!node)
            return {};
        const NodeLives::Life &life = lives_.get(node);
        // Stored after its block had gone: it pointed nowhere from the start.
        if (life.death <= stored && !lives_.is_heap(node))
            return {};
        return {node, value - life.address, life.death > now ? EdgeState::live : EdgeState::stale};
    }
    const NodeLives &lives() const { return lives_; }

  private:
    const Pointers &pointers_;
    NodeLives lives_;
};

} // namespace heapstory
