// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/json/edge_text.h"

namespace heapstory {

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
    out += any_ ? ", {\"from\": {\"node\": " : "{\"from\": {\"node\": ";
    any_ = true;
    add_number(out, source);
    out += ", \"offset\": ";
    add_number(out, offset);
    out += "}, \"to\": ";
    if (uint64_t target = batch[EdgeColumn::target].numbers[row]) {
        out += "{\"node\": ";
        add_number(out, target);
        out += ", \"offset\": ";
        add_number(out, batch[EdgeColumn::target_offset].numbers[row]);
        out += '}';
    } else {
        out += "null";
    }
    out += ", \"value\": ";
    add_address(out, batch[EdgeColumn::value].numbers[row]);
    out += ", \"ts\": ";
    add_number(out, batch[EdgeColumn::timestamp].numbers[row]);
    out += ", \"place\": ";
    out += place_(batch[EdgeColumn::site].smalls[row]);
    out += ", \"size\": ";
    add_number(out, batch[EdgeColumn::size].smalls[row]);
    out += ", \"field\": ";
    out += field(source, offset);
    out += ", \"state\": \"";
    out += name_of(EdgeState(batch[EdgeColumn::state].codes[row]));
    out += "\", \"current\": true}";
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
