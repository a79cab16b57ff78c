// SPDX-License-Identifier: GPL-2.0-or-later
#include "view.h"

#include "graph/bands/bands.h"
#include "graph/window/window.h"
#include "store/packed.h"
#include "trace.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heapstory {

namespace {

using Ids = std::optional<std::vector<uint64_t>>;
using Named = std::vector<std::pair<std::string, Table>>;

// Without the lock of the interpreter: these take long, and touch nothing of Python's.
template <class Work> auto unlocked(Work work) {
    nb::gil_scoped_release release;
    return work();
}

// A window, and what keeps its trace open.
struct WindowView {
    Sources from;
    std::unique_ptr<Window> window;
};

std::unique_ptr<WindowView> window_of(const Trace &trace, uint64_t first, uint64_t last,
                                      const Ids &nodes, const Ids &start, uint64_t depth,
                                      uint64_t limit, uint64_t data_words, uint64_t zeroed_words,
                                      bool fields, uint64_t at, uint64_t fan,
                                      const std::unordered_map<uint64_t, uint64_t> &opened,
                                      const std::vector<std::pair<uint64_t, uint64_t>> &wanted) {
    auto view = std::make_unique<WindowView>();
    view->from = trace.sources();
    WindowQuery query{.first = first, .last = last, .depth = depth, .limit = limit};
    query.limits = {data_words, zeroed_words};
    query.fields = fields;
    query.at = at;
    query.fan = fan;
    query.opened = opened;
    for (auto [node, offset] : wanted) {
        trace.check(node);
        const NodeMemory memory = memory_of(*view->from.store, node);
        query.wanted[node].insert((memory.row.address + offset) / 8);
    }
    if (start)
        query.which = WindowQuery::Which::around;
    else if (nodes)
        query.which = WindowQuery::Which::these;
    if (start || nodes)
        query.nodes = start ? *start : *nodes;
    for (uint64_t node : query.nodes)
        trace.check(node);
    view->window = unlocked([&] {
        return std::make_unique<Window>(*view->from.store, *view->from.pointers,
                                        *view->from.beginnings, std::move(query));
    });
    return view;
}

Named window_tables(const WindowView &view) {
    Window::Tables made = unlocked([&] { return view.window->tables(*view.from.labels); });
    auto table = [](const std::vector<ColumnSpec> &columns, Batch &batch) {
        return Table{table_of(columns, std::move(batch))};
    };
    return {{"nodes", table(Window::node_columns(), made.nodes)},
            {"node_fields", table(Window::list_columns(), made.node_fields)},
            {"fields", table(Window::field_columns(), made.fields)},
            {"field_versions", table(Window::list_columns(), made.field_versions)},
            {"versions", table(Window::version_columns(), made.versions)}};
}

// Nothing but in mode internals.
Named cluster_tables(const WindowView &view) {
    const Clusters &clusters = view.from.clusters();
    if (!clusters.size() && view.from.store->nodes().lineage().empty())
        return {};
    return {{"clusters", Table{view.window->clusters(clusters)}},
            {"merges", Table{view.window->merges(clusters)}},
            {"extents", Table{view.window->extents()}}};
}

std::pair<bool, Named> bands(const Trace &trace, uint64_t first, uint64_t last, size_t buckets,
                             size_t most_chunks) {
    ChangeCounts &counts = trace.change_counts();
    Bands made = unlocked(
        [&] { return bands_of(trace.store(), counts, first, last, buckets, most_chunks); });
    Named tables;
    for (auto &[name, table] : made.tables)
        tables.emplace_back(name, Table{std::move(table)});
    return {made.complete, std::move(tables)};
}

nb::tuple pack_tables(const Named &tables, bool for_files) {
    Packer packer(for_files);
    unlocked([&] {
        for (const auto &[name, table] : tables)
            packer.add(name, table.data);
        return 0;
    });
    nb::list strings;
    for (const std::string &text : packer.strings())
        strings.append(text_object(text));
    return nb::make_tuple(packer.tables(), strings,
                          nb::bytes(packer.buffers().data(), packer.buffers().size()));
}

} // namespace

void bind_view(nb::module_ &module) {
    nb::class_<WindowView>(module, "Window")
        .def_prop_ro("nodes", [](const WindowView &view) { return view.window->size(); })
        .def_prop_ro("versions", [](const WindowView &view) { return view.window->versions(); })
        .def_prop_ro("heap_words_left_out",
                     [](const WindowView &view) { return view.window->heap_words_left_out(); })
        .def_prop_ro("shapes", [](const WindowView &view) { return view.window->shapes(); })
        .def_prop_ro("sites", [](const WindowView &view) { return view.window->sites(); })
        .def("tables", &window_tables)
        .def("clusters", &cluster_tables)
        .def("differences",
             [](const WindowView &view) { return Table{view.window->differences()}; });
    module.def("window", &window_of, "trace"_a, "first"_a, "last"_a, "nodes"_a.none(),
               "start"_a.none(), "depth"_a, "limit"_a, "data_words"_a, "zeroed_words"_a,
               "fields"_a = true, "at"_a = never, "fan"_a = never,
               "opened"_a = std::unordered_map<uint64_t, uint64_t>(),
               "wanted"_a = std::vector<std::pair<uint64_t, uint64_t>>());
    module.def("bands", &bands, "trace"_a, "first"_a, "last"_a, "buckets"_a, "most_chunks"_a);
    module.def(
        "changes",
        [](const Trace &trace, const std::vector<uint32_t> &sites, uint64_t first, uint64_t last,
           size_t limit) {
            ChangeCounts &counts = trace.change_counts();
            return Table{unlocked(
                [&] { return changes_table(trace.store(), counts, sites, first, last, limit); })};
        },
        "trace"_a, "sites"_a, "first"_a, "last"_a, "limit"_a);
    module.def(
        "count_changes",
        [](const Trace &trace, size_t most) {
            ChangeCounts &counts = trace.change_counts();
            return unlocked([&] { return counts.count(most); });
        },
        "trace"_a, "most"_a);
    module.def("pack", &pack_tables, "tables"_a, "for_files"_a);
}

} // namespace heapstory
