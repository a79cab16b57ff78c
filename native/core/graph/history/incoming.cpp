// Who points to a node: at one moment, and ever.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/history/pointer_index.h"
#include "graph/nodes/roots.h"

#include <algorithm>
#include <tuple>

namespace heapstory {

namespace {

struct Incoming {
    uint64_t address = 0; // of the source
    Edge edge;
};

// A pointer as an edge of the graph after n events; its target is 0 if there is none.
Incoming edge_after(const Store &store, const Pointers &pointers, const StoredPointer &pointer,
                    uint64_t n) {
    NodeRow row = store.nodes().get(pointer.source);
    store.discovered().restore(pointer.source, row, n);
    uint64_t at = pointer.word() * 8;
    Incoming found{row.address, {}};
    if (!row.alive_after(n) || at + 8 > row.address + row.size)
        return found;
    Meaning meaning = pointers.meaning(pointer.value, pointer.stored(), n);
    Edge &edge = found.edge;
    edge.source = pointer.source;
    edge.offset = at - row.address;
    edge.value = pointer.value;
    edge.target = meaning.target;
    edge.target_offset = meaning.offset;
    edge.state = meaning.state;
    edge.event = pointer.event;
    edge.site = pointer.site;
    edge.initial = pointer.initial();
    return found;
}

// Stack slots and registers that pointed to the node when they were scanned. They have numbers
// behind those of all nodes, in the order in which they were found.
void add_roots(const Store &store, uint64_t node, uint64_t n, std::vector<Incoming> &out) {
    bool scanned = false;
    uint64_t next = store.nodes().size();
    for (const ScannedWord &word : scanned_words(store, store.timestamp_after(n), scanned)) {
        uint64_t found = store.nodes().find(word.value, n);
        NodeRow row = found ? store.nodes().get(found) : NodeRow{};
        if (!found || row.kind != NodeKind::heap)
            continue;
        ++next;
        if (found != node)
            continue;
        Edge edge;
        edge.source = next;
        edge.value = word.value;
        edge.target = found;
        edge.target_offset = word.value - row.address;
        edge.state = EdgeState::live;
        edge.event = n;
        edge.initial = true;
        out.push_back({never, edge});
    }
}

} // namespace

Batches incoming_of(const Store &store, const Pointers &pointers, const PointerIndex &index,
                    uint64_t node, uint64_t n) {
    std::vector<Incoming> found;
    for (const StoredPointer &pointer : index.to(store, node))
        if (pointer.stands_after(n))
            if (Incoming in = edge_after(store, pointers, pointer, n); in.edge.target == node)
                found.push_back(in);
    add_roots(store, node, n, found);
    std::ranges::sort(found, {}, [](const Incoming &in) {
        return std::tuple(in.address, in.edge.source, in.edge.offset);
    });
    EdgeWriter out(found.size());
    for (const Incoming &in : found)
        out.add(in.edge,
                in.edge.timestamp([&](uint64_t event) { return store.timestamp_of(event); }));
    return out.finish();
}

TableData pointing_table(const Store &store, const Pointers &pointers, const PointerIndex &index,
                         uint64_t node, uint64_t first, uint64_t last) {
    using enum ColumnType;
    using N = std::optional<uint64_t>;
    const std::vector<ColumnSpec> columns = {
        {"source", number},    {"offset", number}, {"value", word},   {"target_offset", number},
        {"timestamp", number}, {"until", number},  {"state", text},   {"kind", text},
        {"silent", flag},      {"site", number},   {"thread", number}};
    const uint64_t from = first ? store.events_by(first - 1) + 1 : 0, to = store.events_by(last);
    const uint64_t birth = store.nodes().get(node).birth;
    std::vector<StoredPointer> found;
    std::ranges::copy_if(
        index.to(store, node), std::back_inserter(found),
        [&](const StoredPointer &p) { return p.stored() <= to && p.until > from; });
    std::ranges::sort(found, {}, [](const StoredPointer &p) {
        return std::tuple(p.stored(), p.source, p.word());
    });
    Batch out(columns.size());
    for (const StoredPointer &pointer : found) {
        // What was split off later is meant only from then on.
        uint64_t when = std::max(pointer.stored(), birth);
        Meaning meaning = pointers.meaning(pointer.value, pointer.stored(), when);
        if (meaning.target != node || when >= pointer.until)
            continue;
        Edge edge;
        edge.event = pointer.event;
        edge.initial = pointer.initial();
        out[0].number(pointer.source);
        out[1].number(pointer.word() * 8 - store.nodes().get(pointer.source).address);
        out[2].number(pointer.value);
        out[3].number(meaning.offset);
        out[4].number(edge.timestamp([&](uint64_t event) { return store.timestamp_of(event); }));
        out[5].number(
            pointer.until == StoredPointer::stays ? N() : N(store.timestamp_after(pointer.until)));
        out[6].string(name_of(meaning.state));
        out[7].string(pointer.initial() ? "initial" : store.tables().write_kind(pointer.site));
        out[8].flag(!pointer.initial() && !store.is_change(pointer.event));
        out[9].id(pointer.site);
        out[10].number(pointer.initial() ? N() : N(store.thread_of(pointer.event)));
    }
    return table_of(columns, std::move(out));
}

} // namespace heapstory
