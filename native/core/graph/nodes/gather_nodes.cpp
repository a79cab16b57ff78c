// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/gather_nodes.h"

#include "graph/nodes/types.h"
#include "store/parallel.h"

#include <algorithm>

namespace heapstory {

namespace {

// Blocks of the node table, one thread's work.
struct Piece {
    uint64_t first = 0, end = 0;
    std::vector<uint64_t> addresses; // of its nodes, in order of birth
    size_t before = 0;               // nodes of the pieces before
};

using Key = std::pair<uint64_t, uint32_t>; // address, number in order of birth

// The index of each node in order of address; empty if that is the order of birth.
Values<uint32_t> indices_of(const std::vector<Piece> &pieces, size_t count) {
    Values<Key> order;
    order.reserve(count);
    for (const Piece &piece : pieces)
        for (uint64_t address : piece.addresses)
            order.emplace_back(address, uint32_t(order.size()));
    Values<uint32_t> indices;
    if (std::ranges::is_sorted(order, {}, &Key::first))
        return indices;
    std::ranges::stable_sort(order, {}, &Key::first);
    indices.resize(count);
    for (uint32_t index = 0; index < count; ++index)
        indices[order[index].second] = index;
    return indices;
}

} // namespace

// Rows are large: find out where each one goes, then decode it right there.
Values<GraphNode> gather_nodes(const Store &store, uint64_t events, bool freed, size_t spare) {
    const NodeTable &table = store.nodes();
    // Ids are in order of birth: what was born later need not be looked at.
    uint64_t blocks = (table.born_by(events) + NodeTable::block_nodes - 1) / NodeTable::block_nodes;
    std::vector<Piece> pieces(std::min<size_t>(blocks, 4 * workers()));
    auto for_each = [&](const Piece &piece, auto visit) {
        std::vector<NodeRow> rows;
        for (uint64_t block = piece.first; block < piece.end; ++block) {
            table.decode(block, rows);
            uint64_t id = block * NodeTable::block_nodes;
            for (const NodeRow &row : rows)
                if (++id; row.birth <= events && (freed || row.death > events))
                    visit(id, row);
        }
    };
    in_parallel(pieces.size(), [&](size_t i) {
        Piece &piece = pieces[i];
        piece.first = blocks * i / pieces.size();
        piece.end = blocks * (i + 1) / pieces.size();
        for_each(piece,
                 [&](uint64_t, const NodeRow &row) { piece.addresses.push_back(row.address); });
    });
    size_t count = 0;
    for (Piece &piece : pieces) {
        piece.before = count;
        count += piece.addresses.size();
    }
    Values<uint32_t> indices = indices_of(pieces, count);
    Values<GraphNode> nodes;
    nodes.reserve(count + spare);
    nodes.resize(count);
    in_parallel(pieces.size(), [&](size_t i) {
        size_t number = pieces[i].before;
        if (pieces[i].addresses.empty())
            return;
        for_each(pieces[i], [&](uint64_t id, const NodeRow &row) {
            GraphNode &node = nodes[indices.empty() ? number : indices[number]];
            ++number;
            node.id = id;
            node.row = row;
            node.since = store.contents_since(id, row, row.address);
            uint64_t last = row.address + std::max<uint64_t>(row.size, 1) - 1;
            node.uneven =
                row.flags & Birth::in_place && store.contents_since(id, row, last) != node.since;
            uint64_t eldest = table.lineage().eldest(id);
            node.meant = eldest == id ? row.birth : table.get(eldest).birth;
            store.discovered().restore(id, node.row, events);
            if (row.death > events) { // not yet
                node.row.death = node.row.death_timestamp = never;
                node.row.free_stack = 0;
            }
            node.type = node_type(store.tables(), row);
        });
    });
    return nodes;
}

} // namespace heapstory
