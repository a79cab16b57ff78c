// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/edges/edges.h"

#include <algorithm>

namespace heapstory {

const std::vector<ColumnSpec> &edge_columns() {
    using enum ColumnType;
    static const std::vector<ColumnSpec> columns = {
        {"source", number},
        {"offset", number},
        {"value", word},
        {"size", small},
        {"target", number},
        {"target_offset", number},
        {"state", choice, {"live", "stale", "null", "data"}}, // enum EdgeState
        {"timestamp", number},
        {"site", small}};
    return columns;
}

void drop_rows(Batches &batches, const std::vector<RowPosition> &rows) {
    for (size_t first = 0, end = 0; first < rows.size(); first = end) {
        auto &batch = batches[rows[first].batch];
        Batch kept(EdgeColumn::count);
        for (size_t row = 0; row < batch->rows(); ++row) {
            if (end < rows.size() && rows[end].batch == rows[first].batch && rows[end].row == row) {
                ++end;
                continue;
            }
            for (size_t i = 0; i < EdgeColumn::count; ++i)
                kept[i].copy((*batch)[i], row, edge_columns()[i].type);
        }
        batch = std::make_shared<const Batch>(std::move(kept));
    }
}

Batch &EdgeWriter::room() {
    if (batch_ && batch_->rows() == batch_rows)
        full_.push_back(std::move(batch_));
    if (!batch_) {
        batch_ = std::make_unique<Batch>(EdgeColumn::count);
        // Room at once: growing would touch twice the memory.
        uint64_t left = most_ - std::min<uint64_t>(most_, full_.size() * batch_rows);
        for (size_t i = 0; i < EdgeColumn::count; ++i)
            (*batch_)[i].reserve(std::min<uint64_t>(left, batch_rows), edge_columns()[i].type);
    }
    return *batch_;
}

void EdgeWriter::add(const Edge &edge, uint64_t timestamp) {
    Batch &out = room();
    out[EdgeColumn::source].number(edge.source);
    out[EdgeColumn::offset].number(edge.offset);
    out[EdgeColumn::value].number(edge.value);
    out[EdgeColumn::size].small(edge.size);
    out[EdgeColumn::target].id(edge.target);
    out[EdgeColumn::target_offset].number(edge.target ? std::optional(edge.target_offset)
                                                      : std::nullopt);
    out[EdgeColumn::state].choice(uint8_t(edge.state));
    out[EdgeColumn::timestamp].number(timestamp);
    out[EdgeColumn::site].small_id(edge.site);
}

Batches EdgeWriter::finish() {
    if (batch_ && batch_->rows())
        full_.push_back(std::move(batch_));
    return std::move(full_);
}

} // namespace heapstory
