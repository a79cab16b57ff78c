// A node as a graph shows it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/nodes/nodes.h"
#include "symbols/symbols.h"

#include <cstdint>

namespace heapstory {

struct GraphNode {
    uint64_t id = 0;
    NodeRow row;
    uint64_t since = 0;  // from this event on its first word is its own
    bool uneven = false; // other words only from a later one on
    uint64_t meant = 0;  // pointers stored by an earlier event mean another node
    TypeId type = no_type;
    uint32_t root = 0; // a stack slot or register, found by a scan: 1 + its number
    bool lost = false;

    bool alive() const { return row.death == never; }
    bool untyped() const { return !type && row.kind == NodeKind::heap; }
};

} // namespace heapstory
