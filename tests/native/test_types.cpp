// Type propagation: typed fields tell the types of the nodes they point to.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/type_propagation.h"

#include "catch.h"

using namespace heapstory;

namespace {

constexpr TypeId node_type_id = 1, pointer_id = 2;

// struct node { struct node *next; long value; }
Tables tables_of_a_list() {
    Tables tables;
    Type node;
    node.kind = TypeKind::record;
    node.name = "struct node";
    node.size = 16;
    node.fields = {{"next", 0, 8, pointer_id}};
    Type pointer;
    pointer.kind = TypeKind::pointer;
    pointer.size = 8;
    pointer.target = node_type_id;
    tables.types = {{}, node, pointer};
    return tables;
}

GraphNode heap_node(uint64_t id, uint64_t size) {
    GraphNode node;
    node.id = id;
    node.row.size = size;
    return node;
}

} // namespace

TEST_CASE("a type is told from node to node, also across pieces and backwards") {
    const Tables tables = tables_of_a_list();
    std::vector<GraphNode> nodes = {heap_node(1, 16), heap_node(2, 16), heap_node(3, 16)};
    nodes[1].type = node_type_id; // 1 -> 0 -> 2
    std::vector<TypeHints> pieces;
    pieces.emplace_back(std::vector<TypeHint>{{0, 2, 0}}, 0, 1);
    pieces.emplace_back(std::vector<TypeHint>{{1, 0, 0}}, 1, 3);
    CHECK(propagate_types(tables, pieces, nodes).size() == 2);
    CHECK(nodes[0].type == node_type_id);
    CHECK(nodes[2].type == node_type_id);
}

TEST_CASE("a node that is too small for a type does not get it") {
    const Tables tables = tables_of_a_list();
    std::vector<GraphNode> nodes = {heap_node(1, 16), heap_node(2, 8)};
    nodes[0].type = node_type_id;
    std::vector<TypeHints> pieces;
    pieces.emplace_back(std::vector<TypeHint>{{0, 1, 0}}, 0, 2);
    CHECK(propagate_types(tables, pieces, nodes).empty());
    CHECK(nodes[1].type == no_type);
}

TEST_CASE("a field that is no pointer tells nothing") {
    const Tables tables = tables_of_a_list();
    std::vector<GraphNode> nodes = {heap_node(1, 16), heap_node(2, 16)};
    nodes[0].type = node_type_id;
    std::vector<TypeHints> pieces;
    pieces.emplace_back(std::vector<TypeHint>{{0, 1, 8}}, 0, 2);
    CHECK(propagate_types(tables, pieces, nodes).empty());
}
