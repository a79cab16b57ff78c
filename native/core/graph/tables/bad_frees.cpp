// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/bad_frees.h"

namespace heapstory {

namespace {

// Whose address it was, as far as anybody knows.
void find_node(const NodeTable &nodes, uint64_t events, BadFree &bad) {
    uint64_t holder = nodes.find(bad.address, events);
    uint64_t last = nodes.find_last(bad.address, events);
    bad.node = holder;
    if (!last || last == holder)
        return;
    NodeRow row = nodes.get(last); // it is gone, but may have been part of something that is not
    bad.is_double = row.kind == NodeKind::heap && row.address == bad.address;
    if (bad.is_double || (!holder && row.kind == NodeKind::heap))
        bad.node = last;
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
