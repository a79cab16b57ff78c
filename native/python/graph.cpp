// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes_table.h"
#include "trace.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace heapstory {

Table GraphView::nodes() const {
    return {table_of(node_columns(), nodes_of(graph_, *from_.labels))};
}

Table GraphView::edges(bool data) const {
    return {table_of(edge_columns(), data ? graph_.edges(true) : graph_.pointers())};
}

void bind_graph(nb::module_ &module) {
    nb::class_<GraphView>(module, "GraphView")
        .def_prop_ro("at", &GraphView::at)
        .def("nodes", &GraphView::nodes)
        .def("edges", &GraphView::edges, "data"_a = false);
}

} // namespace heapstory
