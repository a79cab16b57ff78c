// What differs between two moments.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/window/fields.h"
#include "graph/window/window.h"

namespace heapstory {

namespace {

using enum ColumnType;
using N = std::optional<uint64_t>;

enum class Change : uint8_t { appeared, gone, changed };

// What a field is at a moment; null where nothing was written by then.
using Standing = std::optional<FieldVersion>;

bool same(const Standing &a, const Standing &b) {
    if (!a || !b)
        return !a && !b;
    return a->value == b->value && a->known == b->known && a->state == b->state &&
           a->target == b->target;
}

void add_side(Batch &out, size_t first, const Standing &version) {
    out[first].number(version ? N(version->value) : N());
    out[first + 1].number(version && version->target ? N(version->target) : N());
    version ? out[first + 2].string(states()[size_t(version->state)])
            : out[first + 2].null_string();
}

} // namespace

TableData Window::differences() const {
    const std::vector<ColumnSpec> columns = {{"change", choice, {"new", "gone", "changed"}},
                                             {"node", number},
                                             {"offset", number},
                                             {"before", word},
                                             {"before_target", number},
                                             {"before_state", text},
                                             {"after", word},
                                             {"after_target", number},
                                             {"after_state", text},
                                             {"timestamp", number},
                                             {"site", number}};
    Batch out(columns.size());
    auto add = [&](Change change, uint64_t node, N offset, const Standing &before,
                   const Standing &after, N timestamp, uint32_t site) {
        out[0].choice(uint8_t(change));
        out[1].number(node);
        out[2].number(offset);
        add_side(out, 3, before);
        add_side(out, 6, after);
        out[9].number(timestamp);
        out[10].id(site);
    };
    FieldReader reader(store_);
    for (const Row &row : rows_) {
        const NodeRow &node = memory(row).row;
        const bool before = node.alive_after(first_events_), after = node.alive_after(last_events_);
        const auto &tables = store_.tables();
        if (!before && after)
            add(Change::appeared, row.id, {}, {}, {}, node.birth_timestamp,
                tables.site_of_stack(node.stack));
        if (before && !after)
            add(Change::gone, row.id, {}, {}, {}, node.death_timestamp,
                tables.site_of_stack(node.free_stack));
        if (!before || !after)
            continue;
        const Records &found = records(row);
        for (uint64_t at = row.first; at < row.end; ++at) {
            const FieldRecord &field = found.fields[at];
            const FieldPlace place = place_of(tables, row.type, node, field.word);
            Standing first, last;
            reader.read(place,
                        std::span(found.versions).subspan(field.first, field.end - field.first),
                        [&](const FieldVersion &version) {
                            (version.from <= query_.first ? first : last) = version;
                        });
            if (last && !same(first, last))
                add(Change::changed, row.id, place.offset, first, last, last->from, last->site);
        }
    }
    return table_of(columns, std::move(out));
}

} // namespace heapstory
