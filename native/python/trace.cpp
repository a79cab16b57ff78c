// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace.h"

#include "format/container/salvage.h"
#include "graph/history/edge_versions.h"
#include "graph/history/history.h"
#include "graph/tables/discovery_tables.h"
#include "graph/tables/nodes_table.h"
#include "graph/tables/sql_tables.h"
#include "graph/tables/summary.h"
#include "store/stream.h"
#include "symbols.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <sys/stat.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heapstory {

Trace::Trace(const std::string &path, bool salvage) : path_(path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0)
        throw FormatError(path + ": no such trace");
    if (!S_ISDIR(status.st_mode) || stat((path + "/chunks").c_str(), &status) != 0)
        throw FormatError(path + ": not a heapstory trace (record one: heapstory record -o " +
                          path + " -- PROG)");
    Salvaging while_opening(salvage);
    from_.store = std::make_shared<Store>(path);
    from_.pointers = std::make_shared<Pointers>(*from_.store);
    from_.labels = std::make_shared<Labels>(from_.store);
    from_.followed = std::make_shared<OnDemand<Clusters>>();
    from_.indexed = std::make_shared<OnDemand<PointerIndex>>();
    from_.counted = std::make_shared<ChangeCounts>(from_.store);
    from_.beginnings = std::make_shared<Beginnings>();
    from_.nodes = std::make_shared<OnDemand<TableData>>();
}

const Store &Trace::store() const {
    if (!from_.store)
        throw FormatError(path_ + ": the trace has been closed");
    return *from_.store;
}

void Trace::check(uint64_t node) const {
    if (!node || node > store().nodes().size())
        throw nb::index_error("no such node");
}

static const char *name_of(WindowEnd end) {
    switch (end) {
    case WindowEnd::until:
        return "until";
    case WindowEnd::instructions:
        return "for";
    default:
        return "recording";
    }
}

static nb::object stream_summary(const Store &store) {
    const StreamTotals totals = stream_totals(store);
    if (totals.windows.empty())
        return nb::none();
    nb::dict out;
    out["instructions"] = totals.instructions;
    out["steps"] = totals.steps;
    out["blocks"] = totals.blocks;
    out["bytes"] = totals.bytes;
    nb::list windows;
    for (const StreamTotals::Window &window : totals.windows) {
        nb::dict row;
        row["first"] = window.first_step;
        row["steps"] = window.steps;
        row["instructions"] = window.instructions;
        row["ended"] = window.end ? nb::cast(name_of(*window.end)) : nb::none();
        windows.append(row);
    }
    out["windows"] = windows;
    return out;
}

nb::dict Trace::summary() const {
    const Store &s = store();
    Summary counted = summary_of(s, *from_.pointers);
    nb::dict out;
    out["timestamps"] = s.totals().changes;
    out["events"] = s.totals().events;
    out["stores"] = s.totals().slots;
    out["ranges"] = counted.ranges;
    out["allocations"] = counted.allocations;
    out["frees"] = counted.frees;
    out["calls"] = counted.calls;
    out["nodes"] = counted.nodes;
    out["edges"] = counted.edges;
    out["cpoints"] = counted.cpoints;
    out["sites"] = s.tables().sites.size() - 1;
    out["stacks"] = s.tables().stacks.size() - 1;
    out["threads"] = counted.threads;
    out["crash_site"] = or_none(counted.crash_site);
    out["crash_stack"] = or_none(counted.crash_stack);
    out["chunks"] = s.file().chunks().size();
    out["bytes"] = s.file().size();
    out["event_bytes"] = counted.event_bytes;
    out["symbol_bytes"] = counted.symbol_bytes;
    out["source_bytes"] = counted.source_bytes;
    out["complete"] = s.file().closed();
    out["damage"] = s.damage();
    out["stream"] = stream_summary(s);
    return out;
}

std::unique_ptr<GraphView> Trace::graph(uint64_t at, bool freed) const {
    store();
    return std::make_unique<GraphView>(from_, at, freed);
}

nb::object Trace::node(uint64_t id) const {
    const Store &s = store();
    if (!id || id > s.nodes().size())
        return nb::none();
    Batch row = node_row(s, id, *from_.labels, from_.clusters(), never);
    nb::dict out;
    for (size_t i = 0; i < row.columns.size(); ++i)
        if (const ColumnSpec &spec = node_columns()[i]; spec.name != "lost")
            out[spec.name.c_str()] = value_at(row[i], spec, 0);
    return out;
}

std::string Trace::node_json(uint64_t id, nb::callable place, nb::callable type,
                             nb::callable text) const {
    check(id);
    return heapstory::node_json(node_row(store(), id, *from_.labels, from_.clusters(), never),
                                place, type, text);
}

std::optional<uint64_t> Trace::node_at(uint64_t address, uint64_t at) const {
    uint64_t node = store().nodes().find(address, store().events_by(at));
    return node ? std::optional(node) : std::nullopt;
}

nb::object Trace::value(uint64_t address, uint64_t size, uint64_t at) const {
    auto found = store().bytes(address, size, store().events_by(at));
    return found ? nb::object(nb::bytes(found->data(), found->size())) : nb::none();
}

nb::object Trace::last_silent(uint64_t address, uint64_t since, uint64_t until) const {
    uint64_t first = since ? store().events_by(since - 1) : 0;
    auto found = store().last_silent(address, first, store().events_by(until));
    if (!found)
        return nb::none();
    return nb::make_tuple(store().timestamp_of(found->event), found->site);
}

Table Trace::fields(uint64_t node, uint64_t at) const {
    check(node);
    return {
        table_of(edge_columns(), fields_of(store(), *from_.pointers, node, store().events_by(at)))};
}

Table Trace::edges_to(uint64_t node, uint64_t at) const {
    check(node);
    return {table_of(edge_columns(), pointers_to(store(), *from_.pointers, node, at))};
}

Table Trace::incoming(uint64_t node, uint64_t at) const {
    check(node);
    return {table_of(edge_columns(), incoming_of(store(), *from_.pointers, from_.pointer_index(),
                                                 node, store().events_by(at)))};
}

Table Trace::pointing(uint64_t node, uint64_t first, uint64_t last) const {
    check(node);
    return {pointing_table(store(), *from_.pointers, from_.pointer_index(), node, first, last)};
}

Table Trace::history(uint64_t address, uint64_t size, uint64_t first, uint64_t last) const {
    return {history_table(store(), *from_.pointers, address, size, first, last)};
}

Table Trace::table(const std::string &name) const {
    store();
    auto make = [&] { return sql_table(from_.store, from_.pointers, from_.labels, name); };
    return {name == "nodes" ? from_.nodes->get(make) : make()};
}

Table Trace::pointers_into(std::vector<std::pair<uint64_t, uint64_t>> ranges) const {
    store();
    auto wanted = std::make_shared<const ValueRanges>(std::move(ranges));
    return {edge_versions_table(from_.store, from_.pointers, wanted)};
}

Table Trace::found(const std::string &name) const {
    return {discovery_table(store(), name)};
}

void bind_trace(nb::module_ &module) {
    nb::class_<Trace>(module, "Trace")
        .def(nb::init<const std::string &, bool>(), "path"_a, "salvage"_a = false)
        .def(
            "__init__", // names of files need not be text
            [](Trace *trace, nb::bytes path, bool salvage) {
                new (trace) Trace(std::string(path.c_str(), path.size()), salvage);
            },
            "path"_a, "salvage"_a = false)
        .def("close", &Trace::close)
        .def_prop_ro("timestamps", &Trace::timestamps)
        .def_prop_ro("complete", &Trace::complete)
        .def_prop_ro("damage", &Trace::damage)
        .def("summary", &Trace::summary)
        .def("graph", &Trace::graph, "at"_a, "freed"_a = false)
        .def("node", &Trace::node, "node"_a)
        .def("node_json", &Trace::node_json, "node"_a, "place"_a, "type"_a, "text"_a)
        .def("node_at", &Trace::node_at, "address"_a, "at"_a)
        .def("value", &Trace::value, "address"_a, "size"_a, "at"_a)
        .def("fields", &Trace::fields, "node"_a, "at"_a)
        .def("incoming", &Trace::incoming, "node"_a, "at"_a)
        .def("edges_to", &Trace::edges_to, "node"_a, "at"_a)
        .def("pointing", &Trace::pointing, "node"_a, "first"_a, "last"_a)
        .def("last_silent", &Trace::last_silent, "address"_a, "since"_a, "until"_a)
        .def("history", &Trace::history, "address"_a, "size"_a, "first"_a, "last"_a)
        .def("table", &Trace::table, "name"_a)
        .def("pointers_into", &Trace::pointers_into, "ranges"_a)
        .def("found", &Trace::found, "name"_a)
        .def(
            "place",
            [](const Trace &t, uint32_t site) { return place_of(t.store().tables(), site); },
            "site"_a)
        .def(
            "stack",
            [](const Trace &t, uint32_t stack) { return stack_of(t.store().tables(), stack); },
            "stack"_a)
        .def(
            "type", [](const Trace &t, TypeId type) { return type_of(t.store().tables(), type); },
            "type"_a)
        .def("types", [](const Trace &t) { return t.store().tables().types.size() - 1; })
        .def(
            "source",
            [](const Trace &t, const std::string &path) -> nb::object {
                auto texts = sources_of(t.store().file());
                auto found = texts.find(path);
                return found == texts.end() ? nb::none() : text_object(found->second);
            },
            "path"_a)
        .def("sources", [](const Trace &t) {
            std::vector<std::string> paths;
            for (const auto &[path, text] : sources_of(t.store().file()))
                paths.push_back(path);
            return paths;
        });
}

} // namespace heapstory
