// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/discovery_tables.h"
#include "graph/nodes_table.h"
#include "trace.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace heapstory {

Table GraphView::nodes() const {
    return {table_of(node_columns(), nodes_of(graph_, *from_.labels, *from_.clusters))};
}

Table GraphView::edges(bool data) const {
    return {table_of(edge_columns(), data ? graph_.edges(true) : graph_.pointers())};
}

Table GraphView::clusters() const {
    return {clusters_table(*from_.store, *from_.clusters, graph_.events())};
}

Table GraphView::merges() const {
    return {merges_table(*from_.store, *from_.clusters, graph_.events())};
}

void bind_graph(nb::module_ &module) {
    nb::class_<GraphView>(module, "GraphView")
        .def_prop_ro("at", &GraphView::at)
        .def("nodes", &GraphView::nodes)
        .def("edges", &GraphView::edges, "data"_a = false)
        .def("clusters", &GraphView::clusters)
        .def("merges", &GraphView::merges);
}

} // namespace heapstory
