// What mode internals adds to a window: clusters, merge edges, sizes that change.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/window/window.h"

#include <map>
#include <set>

namespace heapstory {

namespace {

using enum ColumnType;
using N = std::optional<uint64_t>;

} // namespace

TableData Window::clusters(const Clusters &clusters) const {
    std::vector<ColumnSpec> columns = {{"node", number}, {"from", number}, {"cluster", number}};
    Batch out(columns.size());
    for (const Row &row : rows_)
        clusters.for_memberships(row.id, [&](uint64_t after, uint64_t cluster) {
            out[0].number(row.id);
            out[1].number(store_.timestamp_after(after));
            out[2].id(cluster);
        });
    return table_of(columns, std::move(out));
}

TableData Window::merges(const Clusters &clusters) const {
    std::vector<ColumnSpec> columns = {{"cluster", number}, {"source", number}, {"target", number},
                                       {"from", number},    {"until", number},  {"site", number}};
    Batch out(columns.size());
    for (const MergeEdge &merge : clusters.merges()) {
        if (!find(merge.from) || !find(merge.to))
            continue;
        out[0].id(clusters.of(merge.from, merge.after));
        out[1].number(merge.from);
        out[2].number(merge.to);
        out[3].number(store_.timestamp_after(merge.after));
        out[4].number(merge.until == never ? N() : N(store_.timestamp_after(merge.until)));
        out[5].id(merge.site);
    }
    return table_of(columns, std::move(out));
}

// A node becomes smaller when another is split off it, which is born at that moment.
TableData Window::extents() const {
    std::vector<ColumnSpec> columns = {{"node", number}, {"from", number}, {"size", number}};
    Batch out(columns.size());
    const Lineage &lineage = store_.nodes().lineage();
    std::map<uint64_t, std::set<uint64_t>> moments; // by node: so many events
    for (const Row &row : rows_)
        if (const Row *source = find(lineage.source_of(row.id)))
            moments.try_emplace(source->id, std::set{memory(*source).row.birth})
                .first->second.insert(memory(row).row.birth);
    for (const auto &[node, at] : moments)
        for (uint64_t n : at) {
            NodeRow row = store_.nodes().get(node);
            store_.discovered().restore(node, row, n);
            out[0].number(node);
            out[1].number(store_.timestamp_after(n));
            out[2].number(row.size);
        }
    return table_of(columns, std::move(out));
}

} // namespace heapstory
