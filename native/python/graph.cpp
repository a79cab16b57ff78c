// The graph as of a timestamp for Python: its tables and its JSON.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/json/edge_text.h"
#include "graph/json/node_text.h"
#include "graph/tables/discovery_tables.h"
#include "trace.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heapstory {

Batches GraphView::node_rows() const {
    return nodes_of(graph_, *from_.labels, from_.clusters());
}

Table GraphView::nodes() const {
    return {table_of(node_columns(), node_rows())};
}

Table GraphView::edges(bool data) const {
    return {table_of(edge_columns(), data ? graph_.edges(true) : graph_.pointers())};
}

Table GraphView::clusters() const {
    return {clusters_table(*from_.store, from_.clusters(), graph_.events())};
}

Table GraphView::merges() const {
    return {merges_table(*from_.store, from_.clusters(), graph_.events())};
}

Table GraphView::reach(const std::vector<uint64_t> &ignored, bool parts,
                       const std::vector<uint64_t> &hidden) const {
    Judging judging{{ignored.begin(), ignored.end()}, {}, {hidden.begin(), hidden.end()}};
    if (parts)
        judging.parts = parts_at(*from_.store, graph_.at());
    return {reach_table(graph_, judging)};
}

namespace {

using Selected = std::optional<std::vector<uint64_t>>;

NodeWords node_words(nb::callable place, nb::callable type, nb::callable text) {
    return {
        [place](uint32_t stack) { return nb::cast<std::string>(place(or_none(stack))); },
        [type](uint32_t id) { return nb::cast<std::string>(type(or_none(id))); },
        [text](std::string_view said) { return nb::cast<std::string>(text(text_object(said))); }};
}

NodeText graph_nodes(const GraphView &view, const Selected &selected, nb::callable place,
                     nb::callable type, nb::callable text) {
    return NodeText(view.node_rows(), selected, node_words(place, type, text));
}

EdgeText graph_edges(const GraphView &view, bool data, const Selected &selected, nb::callable place,
                     nb::callable field) {
    EdgeWords words{[place](uint32_t site) { return nb::cast<std::string>(place(or_none(site))); },
                    [field](TypeId type, uint64_t size, uint64_t offset) {
                        return nb::cast<std::string>(field(or_none(type), size, offset));
                    }};
    return EdgeText(view.graph(), data, selected, std::move(words));
}

template <class Text> nb::object next_piece(Text &text) {
    std::string piece = text.next();
    if (piece.empty())
        throw nb::stop_iteration();
    return text_object(piece);
}

std::string edge_json(uint64_t source, uint64_t offset, uint64_t value, uint32_t size,
                      std::optional<uint64_t> target, std::optional<uint64_t> target_offset,
                      std::string_view state, uint64_t timestamp, std::string_view place,
                      std::string_view field, bool current) {
    std::string out;
    add_edge(out, {.source = source,
                   .offset = offset,
                   .value = value,
                   .target = target.value_or(0),
                   .target_offset = target_offset.value_or(0),
                   .timestamp = timestamp,
                   .size = size,
                   .place = place,
                   .field = field,
                   .state = state,
                   .current = current});
    return out;
}

} // namespace

std::string node_json(Batch row, nb::callable place, nb::callable type, nb::callable text) {
    return NodeText({std::make_shared<Batch>(std::move(row))}, {}, node_words(place, type, text))
        .next();
}

void bind_graph(nb::module_ &module) {
    module.def("edge_json", &edge_json, "source"_a, "offset"_a, "value"_a, "size"_a,
               "target"_a.none(), "target_offset"_a.none(), "state"_a, "timestamp"_a, "place"_a,
               "field"_a, "current"_a);
    nb::class_<EdgeText>(module, "EdgeText")
        .def("__iter__", [](nb::handle self) { return self; })
        .def("__next__", &next_piece<EdgeText>);
    nb::class_<NodeText>(module, "NodeText")
        .def("__iter__", [](nb::handle self) { return self; })
        .def("__next__", &next_piece<NodeText>);
    nb::class_<GraphView>(module, "GraphView")
        .def_prop_ro("at", &GraphView::at)
        .def("nodes", &GraphView::nodes)
        .def("edges", &GraphView::edges, "data"_a = false)
        .def("clusters", &GraphView::clusters)
        .def("merges", &GraphView::merges)
        .def("reach", &GraphView::reach, "ignored"_a = std::vector<uint64_t>(), "parts"_a = true,
             "hidden"_a = std::vector<uint64_t>())
        .def("node_text", &graph_nodes, "selected"_a.none(), "place"_a, "type"_a, "text"_a)
        .def("edge_text", &graph_edges, "data"_a, "selected"_a.none(), "place"_a, "field"_a,
             nb::keep_alive<0, 1>());
}

} // namespace heapstory
