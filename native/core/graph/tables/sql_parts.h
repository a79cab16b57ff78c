// The tables that SQL sees, one by one, and what they are made with. Internal to graph/tables.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/pointers.h"
#include "graph/nodes/roots.h"
#include "store/table.h"

#include <memory>

namespace heapstory {

TableData nodes_table(std::shared_ptr<const Store> store, std::shared_ptr<const Pointers> pointers,
                      std::shared_ptr<const Labels> labels);
// All of them, or only those that went wrong.
TableData frees_table(std::shared_ptr<const Store> store, bool only_bad);
// Those that went wrong: of each kind, function, call stack and allocation stack of the block the
// first, and how many there were.
TableData bad_free_kinds_table(std::shared_ptr<const Store> store);
TableData events_table(std::shared_ptr<const Store> store);
// Calls and returns are by far the most points: who does not ask for them need not wait for them.
TableData cpoints_table(std::shared_ptr<const Store> store, bool with_calls);
TableData errors_table(std::shared_ptr<const Store> store);
TableData held_table(std::shared_ptr<const Store> store);
TableData mappings_table(std::shared_ptr<const Store> store);
TableData sites_table(const Store &store);
TableData modules_table(const Store &store);
TableData stacks_table(const Store &store);

// Calls `fill(chunk number, batch)` for one events chunk after the other.
template <class Fill>
TableData by_chunk(std::shared_ptr<const Store> store, std::vector<ColumnSpec> columns, Fill fill) {
    size_t width = columns.size();
    return {std::move(columns), [store, width, fill]() -> BatchSource {
                return [store, width, fill, next = size_t(0)]() mutable {
                    std::shared_ptr<Batch> out;
                    while (next < store->event_chunks().size() && (!out || !out->rows())) {
                        out = std::make_shared<Batch>(width);
                        fill(store->event_chunks()[next++], *out);
                    }
                    return out && out->rows() ? out : nullptr;
                };
            }};
}

} // namespace heapstory
