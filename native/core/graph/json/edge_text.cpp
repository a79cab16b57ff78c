// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/json/edge_text.h"

namespace heapstory {

void add_edge(std::string &out, const EdgeMembers &edge) {
    out += "{\"from\": {\"node\": ";
    add_number(out, edge.source);
    out += ", \"offset\": ";
    add_number(out, edge.offset);
    out += "}, \"to\": ";
    if (edge.target) {
        out += "{\"node\": ";
        add_number(out, edge.target);
        out += ", \"offset\": ";
        add_number(out, edge.target_offset);
        out += '}';
    } else {
        out += "null";
    }
    out += ", \"value\": ";
    add_address(out, edge.value);
    out += ", \"ts\": ";
    add_number(out, edge.timestamp);
    out += ", \"place\": ";
    out += edge.place;
    out += ", \"size\": ";
    add_number(out, edge.size);
    out += ", \"field\": ";
    out += edge.field;
    out += ", \"state\": \"";
    out += edge.state;
    out += edge.current ? "\", \"current\": true}" : "\", \"current\": false}";
}

EdgeText::EdgeText(const Graph &graph, bool data,
                   const std::optional<std::vector<uint64_t>> &selected, EdgeWords words)
    : graph_(graph), edges_(data ? graph.edges(true) : graph.pointers()), selected_(selected),
      place_(std::move(words.place)), say_field_(std::move(words.field)) {}

const std::string &EdgeText::field(uint64_t source, uint64_t offset) {
    const auto &nodes = graph_.nodes();
    while (nodes[node_].id != source) // edges are in the order of the nodes
        ++node_;
    const GraphNode &node = nodes[node_];
    auto [at, is_new] = fields_.try_emplace({node.type, node.row.size, offset});
    if (is_new)
        at->second = say_field_(node.type, node.row.size, offset);
    return at->second;
}

void EdgeText::add(const Batch &batch, size_t row, std::string &out) {
    uint64_t source = batch[EdgeColumn::source].numbers[row];
    uint64_t offset = batch[EdgeColumn::offset].numbers[row];
    if (any_)
        out += ", ";
    any_ = true;
    add_edge(out, {.source = source,
                   .offset = offset,
                   .value = batch[EdgeColumn::value].numbers[row],
                   .target = batch[EdgeColumn::target].numbers[row],
                   .target_offset = batch[EdgeColumn::target_offset].numbers[row],
                   .timestamp = batch[EdgeColumn::timestamp].numbers[row],
                   .size = batch[EdgeColumn::size].smalls[row],
                   .place = place_(batch[EdgeColumn::site].smalls[row]),
                   .field = field(source, offset),
                   .state = name_of(EdgeState(batch[EdgeColumn::state].codes[row]))});
}

std::string EdgeText::next() {
    std::string out;
    out.reserve(piece_bytes + 1024);
    for (; batch_ < edges_.size(); ++batch_, row_ = 0) {
        const Batch &batch = *edges_[batch_];
        for (; row_ < batch.rows(); ++row_) {
            if (out.size() >= piece_bytes)
                return out;
            if (selected_(batch[EdgeColumn::source].numbers[row_]))
                add(batch, row_, out);
        }
        edges_[batch_].reset();
    }
    return out;
}

} // namespace heapstory
