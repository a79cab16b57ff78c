// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/json/node_text.h"

#include <algorithm>

namespace heapstory {

namespace {

void add_number_or_null(std::string &out, const Column &column, size_t row) {
    if (column.valid[row])
        add_number(out, column.numbers[row]);
    else
        out += "null";
}

} // namespace

NodeText::NodeText(Batches rows, const std::optional<std::vector<uint64_t>> &selected,
                   NodeWords words)
    : rows_(std::move(rows)), place_(std::move(words.place)), type_(std::move(words.type)),
      text_(std::move(words.text)) {
    Selection wanted(selected);
    for (uint32_t number = 0; number < rows_.size(); ++number) {
        const auto &ids = (*rows_[number])[NodeColumn::id].numbers;
        for (uint32_t row = 0; row < ids.size(); ++row)
            if (wanted(ids[row]))
                order_.push_back({ids[row], number, row});
    }
    std::ranges::sort(order_, {}, &Row::id);
}

void NodeText::add(const Batch &batch, size_t row, std::string &out) {
    auto change = [&](size_t timestamp, size_t stack) {
        out += "{\"ts\": ";
        add_number_or_null(out, batch[timestamp], row);
        out += ", \"place\": ";
        out += place_(batch[stack].smalls[row]);
        out += '}';
    };
    auto text = [&](size_t column) {
        if (batch[column].valid[row])
            out += text_(batch[column].string_at(row));
        else
            out += "null";
    };
    out += "{\"id\": ";
    add_number(out, batch[NodeColumn::id].numbers[row]);
    out += ", \"kind\": \"";
    out += node_columns()[NodeColumn::kind].choices[batch[NodeColumn::kind].codes[row]];
    out += "\", \"address\": ";
    add_address(out, batch[NodeColumn::address].numbers[row]);
    out += ", \"size\": ";
    add_number(out, batch[NodeColumn::size].numbers[row]);
    out += ", \"created\": ";
    change(NodeColumn::created, NodeColumn::created_stack);
    out += ", \"freed\": ";
    if (batch[NodeColumn::freed].valid[row])
        change(NodeColumn::freed, NodeColumn::freed_stack);
    else
        out += "null";
    out += ", \"type\": ";
    out += type_(batch[NodeColumn::type].smalls[row]);
    out += ", \"cluster\": ";
    add_number_or_null(out, batch[NodeColumn::cluster], row);
    out += ", \"source\": ";
    add_number_or_null(out, batch[NodeColumn::source], row);
    out += ", \"name\": ";
    text(NodeColumn::name);
    out += ", \"label\": ";
    text(NodeColumn::label);
    out += ", \"lost\": ";
    const Column &lost = batch[NodeColumn::lost];
    out += !lost.valid[row] ? "null" : lost.codes[row] ? "true" : "false";
    out += '}';
}

std::string NodeText::next() {
    std::string out;
    out.reserve(piece_bytes + 1024);
    for (; next_ < order_.size() && out.size() < piece_bytes; ++next_) {
        if (next_)
            out += ", ";
        add(*rows_[order_[next_].batch], order_[next_].row, out);
    }
    return out;
}

} // namespace heapstory
