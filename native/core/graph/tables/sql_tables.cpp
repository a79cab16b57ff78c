// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/sql_tables.h"

#include "graph/history/edge_versions.h"
#include "graph/moment/graph.h"
#include "graph/nodes/types.h"
#include "heapstory_wire.h"
#include "store/on_demand.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace heapstory {

namespace {

using N = std::optional<uint64_t>;

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Calls `fill(chunk number, batch)` for one events chunk after the other.
template <class Fill>
TableData by_chunk(std::shared_ptr<const Store> store, std::vector<ColumnSpec> columns, Fill fill) {
    size_t width = columns.size();
    return {std::move(columns), [store, width, fill]() -> BatchSource {
                return [store, width, fill, next = size_t(0)]() mutable {
                    std::shared_ptr<Batch> out;
                    while (next < store->event_chunks().size() && (!out || !out->rows())) {
                        out = std::make_shared<Batch>(width);
                        fill(store->event_chunks()[next++], *out);
                    }
                    return out && out->rows() ? out : nullptr;
                };
            }};
}

constexpr auto number = ColumnType::number;
constexpr auto word = ColumnType::word;
constexpr auto text = ColumnType::text;
constexpr auto flag = ColumnType::flag;

using TypesOfNodes = std::unordered_map<uint64_t, TypeId>;

// The types of nodes that only pointers tell, as the graph of the last moment shows them.
TypesOfNodes promised_types(const Store &store, const Pointers &pointers) {
    TypesOfNodes types;
    if (store.tables().types.size() <= 1)
        return types;
    Graph graph(store, pointers, store.totals().changes, false);
    for (const GraphNode &node : graph.nodes())
        if (node.type && !node.root && !node_type(store.tables(), node.row))
            types.emplace(node.id, node.type);
    return types;
}

TableData nodes_table(std::shared_ptr<const Store> store, std::shared_ptr<const Pointers> pointers,
                      std::shared_ptr<const Labels> labels) {
    std::vector<ColumnSpec> columns = {
        {"node", number},    {"kind", text},           {"address", word},
        {"size", number},    {"name", text},           {"type", text},
        {"created", number}, {"created_site", number}, {"created_stack", number},
        {"freed", number},   {"freed_site", number},   {"freed_stack", number},
        {"label", text}};
    auto types = std::make_shared<OnDemand<TypesOfNodes>>(); // for all scans of this table
    auto open = [store, pointers, labels, types]() -> BatchSource {
        return [store, pointers, labels, types,
                next = uint64_t(0)]() mutable -> std::shared_ptr<const Batch> {
            const TypesOfNodes &promised =
                types->get([&] { return promised_types(*store, *pointers); });
            const Tables &tables = store->tables();
            auto batch = std::make_shared<Batch>(13);
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
                    auto told = promised.find(id);
                    TypeId type = told == promised.end() ? node_type(tables, row) : told->second;
                    out[5].string_or_null(tables.types[type].name);
                    out[6].number(row.flags & Birth::initial ? N() : N(row.birth_timestamp));
                    out[7].id(tables.site_of_stack(row.stack));
                    out[8].id(row.stack);
                    out[9].number(unless_never(row.death_timestamp));
                    out[10].id(tables.site_of_stack(row.free_stack));
                    out[11].id(row.free_stack);
                    out[12].string_or_null(labels->of(row, never));
                }
            }
            return out.rows() ? batch : nullptr;
        };
    };
    return {columns, open};
}

TableData frees_table(std::shared_ptr<const Store> store) {
    std::vector<ColumnSpec> columns = {{"node", number},  {"timestamp", number}, {"address", word},
                                       {"size", number},  {"site", number},      {"stack", number},
                                       {"thread", number}};
    return by_chunk(store, columns, [store](uint32_t chunk, Batch &out) {
        auto clock = store->clock(chunk);
        for (const Death &death : store->events(chunk).deaths()) {
            NodeRow row = store->nodes().get(death.node);
            if (row.kind != NodeKind::heap)
                continue;
            out[0].number(death.node);
            out[1].number(clock->timestamps.of(death.event));
            out[2].number(row.address);
            out[3].number(row.size);
            out[4].id(store->tables().site_of_stack(death.stack));
            out[5].id(death.stack);
            out[6].number(store->thread_of(store->header(chunk).first_event + death.event));
        }
    });
}

TableData sites_table(std::shared_ptr<const Store> store) {
    std::vector<ColumnSpec> columns = {{"site", number},  {"file", text},     {"path", text},
                                       {"line", number},  {"function", text}, {"module", text},
                                       {"offset", number}};
    const Tables &tables = store->tables();
    Batch out(columns.size());
    for (uint64_t site = 1; site < tables.sites.size(); ++site) {
        PlaceRow place = tables.places[site].empty() ? PlaceRow{} : tables.places[site].front();
        const std::string &path = tables.text(place.path);
        const CodeAddress &at = tables.sites[site].instruction;
        out[0].number(site);
        out[1].string_or_null(base_name(path));
        out[2].string_or_null(path);
        out[3].id(place.line);
        out[4].string_or_null(tables.text(place.function));
        out[5].string_or_null(tables.text(tables.modules[at.module].path));
        out[6].number(at.offset);
    }
    return table_of(columns, std::move(out));
}

TableData modules_table(const Store &store) {
    std::vector<ColumnSpec> columns = {
        {"module", number}, {"path", text}, {"build_id", text}, {"address", word}, {"own", flag}};
    const Tables &tables = store.tables();
    Batch out(columns.size());
    for (uint64_t module = 1; module < tables.modules.size(); ++module) {
        const ModuleRow &row = tables.modules[module];
        out[0].number(module);
        out[1].string_or_null(tables.text(row.path));
        out[2].string_or_null(tables.text(row.build_id));
        out[3].number(row.bias);
        out[4].flag(row.own);
    }
    return table_of(columns, std::move(out));
}

TableData stacks_table(const Store &store) {
    std::vector<ColumnSpec> columns = {{"stack", number}, {"depth", number}, {"site", number}};
    const Tables &tables = store.tables();
    Batch out(columns.size());
    for (uint32_t stack = 1; stack < tables.stacks.size(); ++stack) {
        uint64_t depth = 0;
        for (uint32_t at = stack; at; at = tables.stacks[at].parent) {
            out[0].number(stack);
            out[1].number(depth++);
            out[2].number(tables.stacks[at].site);
        }
    }
    return table_of(columns, std::move(out));
}

struct Point { // a row of cpoints
    uint32_t event;
    std::string_view kind;
    std::string name;
    uint32_t site;
    std::optional<uint32_t> thread;
};

TableData cpoints_table(std::shared_ptr<const Store> store) {
    std::vector<ColumnSpec> columns = {{"timestamp", number},
                                       {"kind", text},
                                       {"name", text},
                                       {"site", number},
                                       {"thread", number}};
    return by_chunk(store, columns, [store](uint32_t chunk, Batch &out) {
        const Tables &tables = store->tables();
        std::vector<Point> points;
        EventsView view = store->events(chunk);
        for (const Call &call : view.calls()) {
            if (call.call >= tables.calls.size())
                continue;
            points.push_back({call.event,
                              call.is_return ? "return" : "entry",
                              tables.text(tables.functions[call.call].function),
                              tables.calls[call.call].site,
                              {}});
        }
        for (const Mark &mark : view.marks()) {
            std::string_view kind = mark.kind == Mark::Kind::cpoint  ? "cpoint"
                                    : mark.kind == Mark::Kind::crash ? "crash"
                                    : mark.kind == Mark::Kind::exit  ? "exit"
                                                                     : "";
            if (!kind.empty())
                points.push_back({mark.event, kind, mark.text, mark.site, mark.thread});
        }
        std::stable_sort(points.begin(), points.end(),
                         [](const Point &a, const Point &b) { return a.event < b.event; });
        auto clock = store->clock(chunk);
        uint64_t first = store->header(chunk).first_event;
        for (const Point &point : points) {
            out[0].number(point.event ? clock->timestamps.of(point.event - 1)
                                      : store->header(chunk).first_timestamp);
            out[1].string(point.kind);
            out[2].string_or_null(point.name);
            out[3].id(point.site);
            out[4].number(point.thread ? *point.thread : store->thread_of(first + point.event));
        }
    });
}

struct EventRow {
    uint64_t address = 0, end = 0, value = 0;
    uint32_t site = 0;
    std::string_view kind;
};

bool is_change_of_nodes(std::string_view kind) {
    return kind == "alloc" || kind == "free" || kind == "realloc" || kind == "split" ||
           kind == "merge" || kind == "separate";
}

// The rows of the chunk that are merges or separations, each with the node it names.
template <class Change>
void add_changes(const Store &store, uint32_t chunk, const std::vector<Change> &changes,
                 uint64_t Change::*node, std::string_view kind, std::vector<EventRow> &rows) {
    uint64_t first = store.header(chunk).first_event;
    auto at = std::upper_bound(changes.begin(), changes.end(), first,
                               [](uint64_t n, const Change &c) { return n < c.after; });
    for (; at != changes.end() && at->after <= first + rows.size(); ++at) {
        NodeRow found = store.nodes().get((*at).*node);
        rows[at->after - first - 1] = {found.address, found.address + found.size, 0, at->site,
                                       kind};
    }
}

std::string_view birth_kind(const Birth &birth) {
    if (birth.flags & (Birth::in_place | Birth::moved))
        return "realloc";
    return birth.allocator == (discovered | HSW_NODE_SPLIT) ? "split" : "alloc";
}

std::vector<EventRow> event_rows(const Store &store, uint32_t chunk) {
    const Tables &tables = store.tables();
    EventsView view = store.events(chunk);
    std::vector<EventRow> rows(store.header(chunk).events);
    auto row = [&](uint32_t event) -> EventRow & { return rows.at(event); };
    auto extend = [&](EventRow &r, uint64_t address, uint64_t size, uint64_t value, uint32_t site) {
        uint64_t so_far = r.end - r.address;
        if (!r.end) {
            r.address = address;
            r.value = value;
        } else if (address == r.end && so_far < 8) { // slots come in order of address
            r.value |= value << (8 * so_far);
        }
        r.end = std::max(r.end, address + size);
        r.site = site;
        r.kind = tables.write_kind(site);
    };
    std::vector<Slot> slots;
    for (const SlotSegment &segment : view.segments()) {
        decode_segment(segment, view.slots(), slots);
        for (const Slot &slot : slots)
            extend(row(slot.event), slot.word * 8 + shape_first(slot.shape), shape_size(slot.shape),
                   slot.value, slot.site);
    }
    auto found = store.ranges(chunk);
    for (const Range &range : found->ranges) {
        if (range.is_initial)
            continue;
        uint64_t value = 0;
        if (range.is_fill)
            std::memset(&value, range.fill, sizeof value);
        else
            std::memcpy(&value, found->bytes.data() + range.bytes,
                        std::min<uint64_t>(8, range.length));
        extend(row(range.event), range.address, range.length, value, range.site);
    }
    for (const Death &death : view.deaths()) {
        NodeRow node = store.nodes().get(death.node);
        if (node.kind != NodeKind::heap)
            continue;
        row(death.event) = {node.address, node.address + node.size, 0,
                            tables.site_of_stack(death.stack), "free"};
    }
    for (const Birth &birth : view.births()) {
        if (birth.kind != NodeKind::heap || birth.flags & Birth::initial)
            continue;
        row(birth.event) = {birth.address, birth.address + birth.size, 0,
                            tables.site_of_stack(birth.stack), birth_kind(birth)};
    }
    const Discoveries &found_nodes = store.discovered().lists();
    add_changes(store, chunk, found_nodes.merges, &Merge::from, "merge", rows);
    add_changes(store, chunk, found_nodes.separations, &Separation::node, "separate", rows);
    return rows;
}

TableData events_table(std::shared_ptr<const Store> store) {
    std::vector<ColumnSpec> columns = {
        {"event", number}, {"timestamp", number}, {"kind", text},
        {"address", word}, {"size", number},      {"value", word},
        {"silent", flag},  {"site", number},      {"thread", number}};
    return by_chunk(store, columns, [store](uint32_t chunk, Batch &out) {
        auto rows = event_rows(*store, chunk);
        auto clock = store->clock(chunk);
        uint64_t first = store->header(chunk).first_event;
        uint64_t before = store->header(chunk).first_timestamp;
        size_t next_switch = 0;
        uint32_t thread = 1;
        for (uint32_t i = 0; i < rows.size(); ++i) {
            const EventRow &row = rows[i];
            while (next_switch < clock->switches.size() && clock->switches[next_switch].event <= i)
                thread = clock->switches[next_switch++].thread;
            uint64_t timestamp = clock->timestamps.of(i);
            out[0].number(first + i);
            out[1].number(timestamp);
            out[2].string(row.kind);
            out[3].number(row.address);
            out[4].number(row.end - row.address);
            out[5].number(is_change_of_nodes(row.kind) ? N() : N(row.value));
            out[6].flag(timestamp == before);
            out[7].id(row.site);
            out[8].number(thread);
            before = timestamp;
        }
    });
}

} // namespace

TableData sql_table(std::shared_ptr<const Store> store, std::shared_ptr<const Pointers> pointers,
                    std::shared_ptr<const Labels> labels, const std::string &name) {
    if (name == "nodes")
        return nodes_table(store, pointers, labels);
    if (name == "edges")
        return edge_versions_table(store, pointers);
    if (name == "events")
        return events_table(store);
    if (name == "sites")
        return sites_table(store);
    if (name == "frees")
        return frees_table(store);
    if (name == "cpoints")
        return cpoints_table(store);
    if (name == "modules")
        return modules_table(*store);
    if (name == "stacks")
        return stacks_table(*store);
    throw FormatError("there is no table " + name);
}

} // namespace heapstory
