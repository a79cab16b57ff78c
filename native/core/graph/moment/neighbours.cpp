// What one node holds, without the whole graph, and what leads to it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/moment/graph.h"

#include <algorithm>

namespace heapstory {

Batches fields_of(const Store &store, const Pointers &pointers, uint64_t node, uint64_t n) {
    NodeRow row = store.nodes().get(node);
    store.discovered().restore(node, row, n);
    uint64_t until = row.death > n ? n : row.death - row.is_event();
    bool zeroed = row.flags & Birth::zeroed;
    if (row.birth > n)
        return {};
    EdgeWriter out(row.size / 8 + 2);
    for (uint64_t word = row.address / 8; word * 8 < row.address + row.size; ++word) {
        uint64_t since = store.contents_since(node, row, std::max(word * 8, row.address));
        WordState state = store.word(word, until, since);
        if (!state.mask && !zeroed)
            continue;
        Edge edge;
        uint64_t first = std::max(word * 8, row.address);
        uint64_t end = std::min(word * 8 + 8, row.address + row.size);
        edge.source = node;
        edge.offset = first - row.address;
        edge.size = uint32_t(end - first);
        edge.event = state.mask ? state.event : row.birth;
        edge.site = state.site;
        edge.initial = !state.mask || state.initial;
        if (edge.size == 8 && (state.mask == 0xff || zeroed)) {
            Meaning meaning = pointers.meaning(state.value, edge.stored(), n);
            edge.target = meaning.target;
            edge.target_offset = meaning.offset;
            edge.state = meaning.state;
        }
        edge.value = state.value >> (8 * (first - word * 8));
        if (edge.size < 8)
            edge.value &= (uint64_t(1) << (8 * edge.size)) - 1;
        out.add(edge, edge.timestamp([&](uint64_t event) { return store.timestamp_of(event); }));
    }
    return out.finish();
}

Batches pointers_to(const Store &store, const Pointers &pointers, uint64_t node, uint64_t at) {
    Wanted wanted{node, 0, ~uint64_t(0)};
    if (store.discovered().lists().empty()) { // else nodes grow and shrink
        const NodeRow row = store.nodes().get(node);
        wanted.first = row.address;
        wanted.size = std::max<uint64_t>(row.size, 1);
    }
    return Graph(store, pointers, at, false, wanted).pointers();
}

} // namespace heapstory
