// The changes of a statement, in order.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/bands/bands.h"
#include "graph/tables/event_rows.h"

#include <algorithm>

namespace heapstory {

TableData changes_table(const Store &store, ChangeCounts &counts,
                        const std::vector<uint32_t> &sites, uint64_t first, uint64_t last,
                        size_t limit) {
    using enum ColumnType;
    using N = std::optional<uint64_t>;
    const std::vector<ColumnSpec> columns = {
        {"timestamp", number}, {"kind", text},   {"node", number},  {"offset", number},
        {"value", word},       {"site", number}, {"thread", number}};
    Batch out(columns.size());
    auto wanted = [&](uint32_t site) {
        return sites.empty() || std::ranges::find(sites, site) != sites.end();
    };
    auto in_chunk = [&](size_t number) {
        auto known = counts.find(number);
        return !known ||
               std::ranges::any_of(known->statements, wanted, &ChunkCounts::Statement::site);
    };
    for (size_t number = 0; number < counts.chunks() && out.rows() < limit; ++number) {
        const uint32_t chunk = store.event_chunks()[number];
        const ChunkHeader &header = store.header(chunk);
        if (header.first_timestamp >= last || header.first_timestamp + header.changes <= first ||
            !in_chunk(number))
            continue;
        const auto rows = event_rows(store, chunk);
        const auto clock = store.clock(chunk);
        uint64_t before = header.first_timestamp;
        for (uint32_t i = 0; i < rows.size() && out.rows() < limit; ++i) {
            const uint64_t timestamp = clock->timestamps.of(i), event = header.first_event + i;
            const bool change = timestamp != before;
            before = timestamp;
            if (!change || timestamp <= first || timestamp > last || !wanted(rows[i].site))
                continue;
            // A node that was freed by this event is there before it only.
            uint64_t node = store.nodes().find(rows[i].address, event + 1);
            node = node ? node : store.nodes().find(rows[i].address, event);
            out[0].number(timestamp);
            out[1].string(rows[i].kind);
            out[2].id(node);
            out[3].number(node ? N(rows[i].address - store.nodes().get(node).address) : N());
            out[4].number(rows[i].value); // 0 for births and deaths
            out[5].id(rows[i].site);
            out[6].number(uint64_t(store.thread_of(event)));
        }
    }
    return table_of(columns, std::move(out));
}

} // namespace heapstory
