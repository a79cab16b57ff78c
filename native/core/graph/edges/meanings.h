// What pointers mean, now and as time goes on: as Pointers, and faster for passes over a whole
// trace in which every node has its memory for itself. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/pointers.h"
#include "graph/nodes/node_lives.h"

#include <optional>
#include <vector>

namespace heapstory {

class Meanings {
  public:
    // Whether much will be asked: then the lives of all nodes are read first.
    enum class Asked { much, little };
    Meanings(const Store &store, const Pointers &pointers, Asked asked);

    bool may_be_pointer(uint64_t value) const { return pointers_.may_be_pointer(value); }
    Meaning meaning(uint64_t value, uint64_t stored, uint64_t now) const {
        if (!lives_ || !may_be_pointer(value))
            return pointers_.meaning(value, stored, now);
        uint64_t node = lives_->newest(value, stored);
        if (!node)
            return {};
        const NodeLives::Life &life = lives_->get(node);
        // Stored after its block had gone: it pointed nowhere from the start.
        if (life.death <= stored && !lives_->is_heap(node))
            return {};
        return {node, value - life.address, life.death > now ? EdgeState::live : EdgeState::stale};
    }

    // From so many events on a pointer means this.
    struct Turn {
        uint64_t from = 0;
        Meaning meaning;
        uint64_t by = 0;      // stale: the node that has the memory, 0 if none
        bool followed = true; // stale: whether `by` is known
        bool operator==(const Turn &other) const;
    };
    // All that a pointer means that was stored when `stored` events had happened and is gone after
    // `until`, in order of time. Memory that changes hands very often is not followed.
    static constexpr size_t most_followed = 64;
    void turns(uint64_t value, uint64_t stored, uint64_t until, std::vector<Turn> &out) const;

  private:
    struct Life {
        uint64_t birth = 0, death = 0;
    };
    // The newest node born within n events that holds the address; the one alive then.
    uint64_t newest(uint64_t address, uint64_t n) const;
    uint64_t holder(uint64_t address, uint64_t n) const;
    Life life_of(uint64_t node) const;
    Turn turn(uint64_t value, uint64_t stored, uint64_t now) const;

    const Store &store_;
    const Pointers &pointers_;
    std::optional<NodeLives> lives_;
};

} // namespace heapstory
