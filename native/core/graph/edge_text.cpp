// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/edge_text.h"

#include <algorithm>
#include <charconv>

namespace heapstory {

namespace {

constexpr size_t piece_bytes = size_t(1) << 20;

void number(std::string &out, uint64_t value, int base = 10) {
    char digits[20];
    auto end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
    out.append(digits, end);
}

} // namespace

EdgeText::EdgeText(const Graph &graph, bool data, std::optional<std::vector<uint64_t>> selected,
                   EdgeWords words)
    : graph_(graph), edges_(data ? graph.edges(true) : graph.pointers()), words_(std::move(words)) {
    if (!selected)
        return;
    selected_.emplace();
    for (uint64_t node : *selected) {
        selected_->resize(std::max<size_t>(selected_->size(), node + 1));
        (*selected_)[node] = true;
    }
}

const std::string &EdgeText::place(uint32_t site) {
    places_.resize(std::max<size_t>(places_.size(), size_t(site) + 1));
    if (places_[site].empty())
        places_[site] = words_.place(site);
    return places_[site];
}

const std::string &EdgeText::field(uint64_t source, uint64_t offset) {
    const auto &nodes = graph_.nodes();
    while (nodes[node_].id != source) // edges are in the order of the nodes
        ++node_;
    const GraphNode &node = nodes[node_];
    auto [at, is_new] = fields_.try_emplace({node.type, node.row.size, offset});
    if (is_new)
        at->second = words_.field(node.type, node.row.size, offset);
    return at->second;
}

void EdgeText::add(const Batch &batch, size_t row, std::string &out) {
    uint64_t source = batch[EdgeColumn::source].numbers[row];
    uint64_t offset = batch[EdgeColumn::offset].numbers[row];
    out += any_ ? ", {\"from\": {\"node\": " : "{\"from\": {\"node\": ";
    any_ = true;
    number(out, source);
    out += ", \"offset\": ";
    number(out, offset);
    out += "}, \"to\": ";
    if (uint64_t target = batch[EdgeColumn::target].numbers[row]) {
        out += "{\"node\": ";
        number(out, target);
        out += ", \"offset\": ";
        number(out, batch[EdgeColumn::target_offset].numbers[row]);
        out += '}';
    } else {
        out += "null";
    }
    out += ", \"value\": \"0x";
    number(out, batch[EdgeColumn::value].numbers[row], 16);
    out += "\", \"ts\": ";
    number(out, batch[EdgeColumn::timestamp].numbers[row]);
    out += ", \"place\": ";
    out += place(batch[EdgeColumn::site].smalls[row]);
    out += ", \"size\": ";
    number(out, batch[EdgeColumn::size].smalls[row]);
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
            if (is_wanted(batch[EdgeColumn::source].numbers[row_]))
                add(batch, row_, out);
        }
        edges_[batch_].reset();
    }
    return out;
}

} // namespace heapstory
