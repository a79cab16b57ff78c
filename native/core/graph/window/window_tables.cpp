// A window as columns.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/types.h"
#include "graph/window/fields.h"
#include "graph/window/window.h"

namespace heapstory {

using enum ColumnType;

const std::vector<ColumnSpec> &Window::node_columns() {
    static const std::vector<ColumnSpec> columns = {{"id", number},
                                                    {"kind", choice, {"heap", "global", "root"}},
                                                    {"address", word},
                                                    {"size", number},
                                                    {"shape", number},
                                                    {"name", text},
                                                    {"label", text},
                                                    {"born", number},
                                                    {"freed", number},
                                                    {"born_site", number},
                                                    {"freed_site", number},
                                                    {"source", number},
                                                    {"distance", number},
                                                    {"more", number},
                                                    {"words_left_out", number}};
    return columns;
}

const std::vector<ColumnSpec> &Window::list_columns() {
    static const std::vector<ColumnSpec> columns = {{"first", number}};
    return columns;
}

const std::vector<ColumnSpec> &Window::field_columns() {
    static const std::vector<ColumnSpec> columns = {
        {"node", number}, {"offset", number}, {"size", small}};
    return columns;
}

const std::vector<ColumnSpec> &Window::version_columns() {
    static const std::vector<ColumnSpec> columns = {{"from", number},
                                                    {"stored", number},
                                                    {"kind", choice, kinds()},
                                                    {"silent", flag},
                                                    {"value", word},
                                                    {"known", small},
                                                    {"state", choice, states()},
                                                    {"target", number},
                                                    {"target_offset", number},
                                                    {"by", number},
                                                    {"site", small},
                                                    {"thread", small}};
    return columns;
}

void Window::add_node(Batch &out, const Row &at, const Labels &labels) const {
    using N = std::optional<uint64_t>;
    NodeRow row = memory(at).row;
    store_.discovered().restore(at.id, row, last_events_);
    out[0].number(at.id);
    out[1].choice(uint8_t(row.kind));
    out[2].number(row.address);
    out[3].number(row.size);
    out[4].number(at.shape ? N(at.shape - 1) : N());
    out[5].string_or_null(store_.tables().text(row.name));
    out[6].string_or_null(labels.of(row, query_.last));
    out[7].number(row.flags & Birth::initial ? N() : N(row.birth_timestamp));
    out[8].number(unless_never(row.death_timestamp));
    out[9].id(store_.tables().site_of_stack(row.stack));
    out[10].id(store_.tables().site_of_stack(row.free_stack));
    out[11].id(store_.nodes().lineage().source_of(at.id));
    out[12].number(unless_never(at.distance));
    out[13].number(at.more);
    out[14].number(at.left_out);
}

Window::Tables Window::tables(const Labels &labels) const {
    Tables out{Batch(node_columns().size()), Batch(1), Batch(field_columns().size()), Batch(1),
               Batch(version_columns().size())};
    const uint64_t count = versions();
    for (size_t i = 0; i < version_columns().size(); ++i)
        out.versions[i].reserve(count, version_columns()[i].type);
    FieldReader reader(store_);
    uint64_t fields = 0, written = 0;
    for (uint32_t number = 0; number < rows_.size(); ++number) {
        const Row &row = rows_[number];
        const NodeRow &node = memory(row).row;
        const Records &found = records(row);
        add_node(out.nodes, row, labels);
        out.node_fields[0].number(fields);
        for (uint64_t at = row.first; at < row.end; ++at, ++fields) {
            const FieldRecord &field = found.fields[at];
            const FieldPlace place = place_of(store_.tables(), row.type, node, field.word);
            out.fields[0].number(uint64_t(number));
            out.fields[1].number(place.offset);
            out.fields[2].small(place.size);
            out.field_versions[0].number(written);
            written += field.end - field.first;
            reader.read(place,
                        std::span(found.versions).subspan(field.first, field.end - field.first),
                        [&](const FieldVersion &version) { add_version(out.versions, version); });
        }
    }
    out.node_fields[0].number(fields);
    out.field_versions[0].number(written);
    return out;
}

} // namespace heapstory
