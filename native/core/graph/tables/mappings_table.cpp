// Which files were mapped where: one row for each time that one was mapped, or memory unmapped that
// had held one.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/sql_parts.h"

#include <cstdlib>

namespace heapstory {

TableData mappings_table(std::shared_ptr<const Store> store) {
    using enum ColumnType;
    std::vector<ColumnSpec> columns = {
        {"path", text}, {"address", word}, {"size", number}, {"step", number}};
    auto fill = [store](uint32_t chunk, Batch &out) {
        for (const Mark &mark : store->events(chunk).marks()) {
            if (mark.kind != Mark::Kind::mapping)
                continue;
            const size_t space = std::min(mark.text.find(' '), mark.text.size() - 1);
            out[0].string_or_null(mark.text.substr(space + 1));
            out[1].number(mark.a);
            out[2].number(mark.b);
            out[3].number(std::strtoull(mark.text.c_str(), nullptr, 10));
        }
    };
    return by_chunk(store, columns, fill);
}

} // namespace heapstory
