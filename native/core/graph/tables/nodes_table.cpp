// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/nodes_table.h"

#include "graph/nodes/types.h"
#include "store/parallel.h"

namespace heapstory {

const std::vector<ColumnSpec> &node_columns() {
    using enum ColumnType;
    static const std::vector<ColumnSpec> columns = {
        {"id", number},      {"kind", choice, {"heap", "global", "root"}},
        {"address", word},   {"size", number},
        {"name", text},      {"type", small},
        {"created", number}, {"created_stack", small},
        {"freed", number},   {"freed_stack", small},
        {"lost", flag},      {"label", text},
        {"cluster", number}, {"source", number}};
    return columns;
}

namespace {

struct Extras { // what is not in the node itself
    std::string_view name, label;
    std::optional<bool> lost;
    uint64_t cluster = 0, source = 0; // 0: none
};

void add_node(Batch &out, const GraphNode &node, const Extras &extras) {
    constexpr uint8_t root = 2; // heap and global have the numbers of NodeKind
    const NodeRow &row = node.row;
    using N = std::optional<uint64_t>;
    out[NodeColumn::id].number(node.id);
    out[NodeColumn::kind].choice(node.root ? root : uint8_t(row.kind));
    out[NodeColumn::address].number(row.address);
    out[NodeColumn::size].number(row.size);
    out[NodeColumn::name].string_or_null(extras.name);
    out[NodeColumn::type].small_id(node.type);
    out[NodeColumn::created].number(row.flags & Birth::initial ? N() : N(row.birth_timestamp));
    out[NodeColumn::created_stack].small_id(row.stack);
    out[NodeColumn::freed].number(unless_never(row.death_timestamp));
    out[NodeColumn::freed_stack].small_id(row.free_stack);
    out[NodeColumn::lost].flag(extras.lost);
    out[NodeColumn::label].string_or_null(extras.label);
    out[NodeColumn::cluster].id(extras.cluster);
    out[NodeColumn::source].id(extras.source);
}

} // namespace

Batches nodes_of(const Graph &graph, const Labels &labels, const Clusters &clusters) {
    const auto &nodes = graph.nodes();
    constexpr size_t batch_rows = size_t(1) << 18;
    Batches batches((nodes.size() + batch_rows - 1) / batch_rows);
    in_parallel(batches.size(), [&](size_t number) {
        Batch out(node_columns().size());
        size_t first = number * batch_rows, end = std::min(nodes.size(), first + batch_rows);
        for (size_t i = 0; i < out.columns.size(); ++i)
            out[i].reserve(end - first, node_columns()[i].type);
        for (size_t index = first; index < end; ++index) {
            const GraphNode &node = nodes[index];
            bool judged = graph.scanned() && !node.root && node.row.kind == NodeKind::heap;
            add_node(out, node,
                     {graph.name_of(node), labels.of(node.row, graph.at()),
                      judged ? std::optional(node.lost) : std::nullopt,
                      clusters.of(node.id, graph.events()), graph.source_of(node)});
        }
        batches[number] = std::make_shared<const Batch>(std::move(out));
    });
    return batches;
}

Batch node_row(const Store &store, uint64_t id, const Labels &labels, const Clusters &clusters,
               uint64_t timestamp) {
    GraphNode node;
    node.id = id;
    node.row = store.nodes().get(id);
    store.discovered().restore(id, node.row, never);
    node.type = node_type(store.tables(), node.row);
    Batch out(node_columns().size());
    add_node(out, node,
             {store.tables().text(node.row.name), labels.of(node.row, timestamp), std::nullopt,
              clusters.of(id, never), store.nodes().lineage().source_of(id)});
    return out;
}

TableData reach_table(const Graph &graph, const Judging &judging) {
    using enum ColumnType;
    // The members of Reach, by number.
    std::vector<ColumnSpec> columns = {
        {"node", number},
        {"reach",
         choice,
         {"reachable", "possible-leak", "possible-indirect-leak", "leak", "indirect-leak"}},
        // The members of hsw_part, by number.
        {"part", choice, {"", "array", "inheritance", "string"}}};
    Batch out(columns.size());
    std::vector<Judged> reach;
    if (graph.scanned())
        reach = graph.reach(judging);
    for (size_t index = 0; index < reach.size(); ++index) {
        const GraphNode &node = graph.nodes()[index];
        if (!node.alive() || node.row.kind != NodeKind::heap)
            continue;
        out[0].number(node.id);
        out[1].choice(uint8_t(reach[index].reach));
        out[2].choice(reach[index].part < columns[2].choices.size() ? reach[index].part : 0);
    }
    return table_of(columns, std::move(out));
}

} // namespace heapstory
