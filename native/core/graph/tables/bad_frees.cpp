// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/bad_frees.h"

namespace heapstory {

namespace {

// Whose address it was, as far as anybody knows.
void find_node(const NodeTable &nodes, uint64_t events, BadFree &bad) {
    bad.node = nodes.find(bad.address, events);
    if (bad.node)
        return;
    uint64_t last = nodes.find_last(bad.address, events);
    if (!last)
        return;
    NodeRow row = nodes.get(last);
    if (row.kind != NodeKind::heap)
        return;
    bad.node = last;
    bad.is_double = row.address == bad.address;
}

} // namespace

std::vector<BadFree> bad_frees_of(const Store &store, uint32_t chunk) {
    std::vector<BadFree> found;
    for (const Mark &mark : store.events(chunk).marks()) {
        if (mark.kind != Mark::Kind::bad_free || !mark.event)
            continue;
        BadFree bad;
        bad.event = mark.event - 1;
        bad.address = mark.a;
        bad.stack = uint32_t(mark.b >> 8);
        bad.deallocator = Deallocator(mark.b & 0xff);
        find_node(store.nodes(), store.header(chunk).first_event + bad.event, bad);
        found.push_back(bad);
    }
    return found;
}

} // namespace heapstory
