// Edges: what the fields of nodes hold, as columns from the start.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/pointers.h"
#include "store/table.h"

#include <cstdint>
#include <vector>

namespace heapstory {

struct Edge {
    uint64_t source = 0, offset = 0, value = 0;
    uint32_t size = 8;
    uint64_t target = 0, target_offset = 0; // target 0: none
    EdgeState state = EdgeState::data;
    uint64_t event = 0;
    uint32_t site = 0; // 0: from before the recording, or zeroed by the allocator
    bool initial = false;

    // How many events had happened once it was stored.
    uint64_t stored() const { return event + !initial; }
    // `of` gives the timestamp of an event.
    template <class Of> uint64_t timestamp(Of of) const {
        if (!initial)
            return of(event);
        return event ? of(event - 1) : 0; // it stands before the event
    }
};

// The columns of a table of edges, in this order.
struct EdgeColumn {
    enum : size_t {
        source,
        offset,
        value,
        size,
        target,
        target_offset,
        state,
        timestamp,
        site,
        count
    };
};
const std::vector<ColumnSpec> &edge_columns();

struct RowPosition {
    uint32_t batch = 0, row = 0;
};

// The batches without some rows, which are given in order.
void drop_rows(Batches &batches, const std::vector<RowPosition> &rows);

// Gathers edges into batches that are large enough to be quick and small enough to need no copy.
class EdgeWriter {
  public:
    // `most`: there will be no more edges than that.
    explicit EdgeWriter(uint64_t most) : most_(most) {}
    void add(const Edge &edge, uint64_t timestamp);
    // Where the last one went.
    RowPosition last() const { return {uint32_t(full_.size()), uint32_t(batch_->rows() - 1)}; }
    Batches finish();

  private:
    static constexpr size_t batch_rows = size_t(1) << 18; // a column of numbers is a huge page
    Batch &room();
    uint64_t most_;
    std::unique_ptr<Batch> batch_;
    Batches full_;
};

} // namespace heapstory
