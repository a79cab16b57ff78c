// The lives of nodes as tables: nodes and frees.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/moment/graph.h"
#include "graph/nodes/types.h"
#include "graph/tables/bad_frees.h"
#include "graph/tables/sql_parts.h"
#include "store/on_demand.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace heapstory {

namespace {

using N = std::optional<uint64_t>;
using enum ColumnType;

using TypesOfNodes = std::unordered_map<uint64_t, TypeId>;

// The types of nodes that only pointers tell, as the graph of the last moment shows them.
TypesOfNodes propagated_types(const Store &store, const Pointers &pointers) {
    TypesOfNodes types;
    if (store.tables().types.size() <= 1)
        return types;
    Graph graph(store, pointers, store.totals().changes, false);
    for (const GraphNode &node : graph.nodes())
        if (node.type && !node.root && !node_type(store.tables(), node.row))
            types.emplace(node.id, node.type);
    return types;
}

std::string_view name_of(Allocator allocator) {
    switch (allocator) {
    case Allocator::unknown:
        break;
    case Allocator::malloc:
        return "malloc";
    case Allocator::calloc:
        return "calloc";
    case Allocator::memalign:
        return "memalign";
    case Allocator::new_:
        return "new";
    case Allocator::new_array:
        return "new[]";
    case Allocator::custom:
        return "custom";
    case Allocator::returned:
        return "returned";
    case Allocator::kept:
        return "kept";
    case Allocator::seen:
        return "seen";
    case Allocator::stored:
        return "stored";
    case Allocator::split:
        return "split";
    }
    return {};
}

std::string_view allocator_of(const NodeRow &row) {
    bool is_realloc =
        row.allocator == Allocator::malloc && row.flags & (Birth::in_place | Birth::moved);
    return is_realloc ? "realloc" : name_of(row.allocator);
}

std::string_view name_of(Deallocator deallocator) {
    switch (deallocator) {
    case Deallocator::unknown:
        break;
    case Deallocator::free:
        return "free";
    case Deallocator::delete_:
        return "delete";
    case Deallocator::delete_array:
        return "delete[]";
    case Deallocator::custom:
        return "custom";
    case Deallocator::realloc:
        return "realloc";
    }
    return {};
}

std::string_view name_of(EndKind end) {
    switch (end) {
    case EndKind::unknown:
    case EndKind::freed:
        break;
    case EndKind::reused:
        return "reused";
    case EndKind::unmapped:
        return "unmapped";
    case EndKind::reallocated:
        return "realloc";
    }
    return {};
}

// Where discovery saw nodes end, how they did.
std::unordered_map<uint64_t, EndKind> ends_of(const Store &store) {
    std::unordered_map<uint64_t, EndKind> ends;
    for (const NodeEnd &end : store.discovered().lists().ends)
        ends.emplace(end.node, end.how);
    return ends;
}

} // namespace

TableData nodes_table(std::shared_ptr<const Store> store, std::shared_ptr<const Pointers> pointers,
                      std::shared_ptr<const Labels> labels) {
    std::vector<ColumnSpec> columns = {
        {"node", number},    {"kind", text},           {"address", word},
        {"size", number},    {"name", text},           {"type", text},
        {"created", number}, {"created_site", number}, {"created_stack", number},
        {"freed", number},   {"freed_site", number},   {"freed_stack", number},
        {"label", text},     {"allocator", text}};
    auto types = std::make_shared<OnDemand<TypesOfNodes>>(); // for all scans of this table
    auto open = [store, pointers, labels, types]() -> BatchSource {
        return [store, pointers, labels, types,
                next = uint64_t(0)]() mutable -> std::shared_ptr<const Batch> {
            const TypesOfNodes &propagated =
                types->get([&] { return propagated_types(*store, *pointers); });
            const Tables &tables = store->tables();
            auto batch = std::make_shared<Batch>(14);
            Batch &out = *batch;
            std::vector<NodeRow> rows;
            for (; next < store->nodes().blocks() && out.rows() < 65536; ++next) {
                store->nodes().decode(next, rows);
                uint64_t id = next * NodeTable::block_nodes;
                for (const NodeRow &row : rows) {
                    out[0].number(++id);
                    out[1].string(row.kind == NodeKind::heap ? "heap" : "global");
                    out[2].number(row.address);
                    out[3].number(row.size);
                    out[4].string_or_null(tables.text(row.name));
                    auto told = propagated.find(id);
                    TypeId type = told == propagated.end() ? node_type(tables, row) : told->second;
                    out[5].string_or_null(tables.types[type].name);
                    out[6].number(row.flags & Birth::initial ? N() : N(row.birth_timestamp));
                    out[7].id(tables.site_of_stack(row.stack));
                    out[8].id(row.stack);
                    out[9].number(unless_never(row.death_timestamp));
                    out[10].id(tables.site_of_stack(row.free_stack));
                    out[11].id(row.free_stack);
                    out[12].string_or_null(labels->of(row, never));
                    out[13].string_or_null(allocator_of(row));
                }
            }
            return out.rows() ? batch : nullptr;
        };
    };
    return {columns, open};
}

namespace {

using Ends = std::unordered_map<uint64_t, EndKind>;

// A row of the table of frees.
struct Free {
    uint32_t event = 0;
    uint64_t address = 0, node = 0;
    uint32_t stack = 0;
    std::string_view deallocator, error; // empty: none
};

std::vector<Free> frees_of(const Store &store, uint32_t chunk, const Ends &ends, bool only_bad) {
    std::vector<Free> frees;
    for (const Death &death : store.events(chunk).deaths()) {
        NodeRow row = store.nodes().get(death.node);
        const bool mismatched = is_mismatched(row.allocator, death.deallocator);
        if (row.kind != NodeKind::heap || (only_bad && !mismatched))
            continue;
        auto end = ends.find(death.node);
        frees.push_back({death.event, row.address, death.node, death.stack,
                         end == ends.end() ? name_of(death.deallocator) : name_of(end->second),
                         mismatched ? "mismatched-free" : ""});
    }
    const size_t deaths = frees.size();
    for (const BadFree &bad : bad_frees_of(store, chunk))
        frees.push_back(
            {bad.event, bad.address, bad.node, bad.stack, name_of(bad.deallocator), bad.error()});
    std::ranges::inplace_merge(frees, frees.begin() + ptrdiff_t(deaths), {}, &Free::event);
    return frees;
}

const std::vector<ColumnSpec> free_columns = {
    {"node", number}, {"timestamp", number}, {"address", word},  {"size", number},
    {"site", number}, {"stack", number},     {"thread", number}, {"deallocator", text},
    {"error", text},  {"event", number}};

void add_free(const Store &store, uint32_t chunk, const ChunkClock &clock, const Free &row,
              Batch &out) {
    out[0].id(row.node);
    out[1].number(clock.timestamps.of(row.event));
    out[2].number(row.address);
    out[3].number(row.node ? N(store.nodes().get(row.node).size) : N());
    out[4].id(store.tables().site_of_stack(row.stack));
    out[5].id(row.stack);
    out[6].number(clock.thread_of(row.event));
    out[7].string_or_null(row.deallocator);
    out[8].string_or_null(row.error);
    out[9].number(store.header(chunk).first_event + row.event);
}

// The first of its kind.
struct FirstFree {
    uint32_t chunk = 0;
    Free row;
    uint64_t count = 0;
};

// What those of a kind share: of an unknown block there is only its address.
auto kind_of(const Store &store, const Free &row) {
    const uint64_t block = row.node ? store.nodes().get(row.node).stack : row.address;
    return std::tuple(row.error, row.deallocator, row.stack, bool(row.node), block);
}

std::vector<FirstFree> first_bad_frees(const Store &store) {
    const Ends ends = ends_of(store);
    std::vector<FirstFree> firsts;
    std::map<decltype(kind_of(store, {})), size_t> known;
    for (uint32_t chunk : store.event_chunks())
        for (const Free &row : frees_of(store, chunk, ends, true)) {
            auto [at, is_new] = known.try_emplace(kind_of(store, row), firsts.size());
            if (is_new)
                firsts.push_back({chunk, row});
            ++firsts[at->second].count;
        }
    return firsts;
}

} // namespace

TableData frees_table(std::shared_ptr<const Store> store, bool only_bad) {
    auto ends = std::make_shared<const Ends>(ends_of(*store));
    return by_chunk(store, free_columns, [store, ends, only_bad](uint32_t chunk, Batch &out) {
        auto clock = store->clock(chunk);
        for (const Free &row : frees_of(*store, chunk, *ends, only_bad))
            add_free(*store, chunk, *clock, row, out);
    });
}

TableData bad_free_kinds_table(std::shared_ptr<const Store> store) {
    std::vector<ColumnSpec> columns = free_columns;
    columns.push_back({"count", number});
    Batch out(columns.size());
    for (const FirstFree &first : first_bad_frees(*store)) {
        add_free(*store, first.chunk, *store->clock(first.chunk), first.row, out);
        out[10].number(first.count);
    }
    return table_of(columns, std::move(out));
}

} // namespace heapstory
