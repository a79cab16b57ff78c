// Everything that happened, one row per event.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/event_rows.h"
#include "graph/tables/sql_parts.h"

namespace heapstory {

namespace {

using N = std::optional<uint64_t>;
using enum ColumnType;

} // namespace

TableData events_table(std::shared_ptr<const Store> store) {
    std::vector<ColumnSpec> columns = {
        {"event", number}, {"timestamp", number}, {"kind", text},
        {"address", word}, {"size", number},      {"value", word},
        {"silent", flag},  {"site", number},      {"thread", number}};
    return by_chunk(store, columns, [store](uint32_t chunk, Batch &out) {
        auto rows = event_rows(*store, chunk);
        auto clock = store->clock(chunk);
        uint64_t first = store->header(chunk).first_event;
        uint64_t before = store->header(chunk).first_timestamp;
        size_t next_switch = 0;
        uint32_t thread = 1;
        for (uint32_t i = 0; i < rows.size(); ++i) {
            const EventRow &row = rows[i];
            while (next_switch < clock->switches.size() && clock->switches[next_switch].event <= i)
                thread = clock->switches[next_switch++].thread;
            uint64_t timestamp = clock->timestamps.of(i);
            out[0].number(first + i);
            out[1].number(timestamp);
            out[2].string(row.kind);
            out[3].number(row.address);
            out[4].number(row.end - row.address);
            out[5].number(is_change_of_nodes(row.kind) ? N() : N(row.value));
            out[6].flag(timestamp == before);
            out[7].id(row.site);
            out[8].number(thread);
            before = timestamp;
        }
    });
}

} // namespace heapstory
