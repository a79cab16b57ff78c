// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/history/history.h"

namespace heapstory {

namespace {

std::string hex(const Bytes &bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (uint8_t byte : bytes) {
        text.push_back(digits[byte >> 4]);
        text.push_back(digits[byte & 15]);
    }
    return text;
}

} // namespace

TableData history_table(const Store &store, const Pointers &pointers, uint64_t address,
                        uint64_t size, uint64_t first, uint64_t last) {
    using enum ColumnType;
    using N = std::optional<uint64_t>;
    std::vector<ColumnSpec> columns = {
        {"timestamp", number}, {"address", word},         {"size", number},
        {"value", word},       {"bytes", text},           {"silent", flag},
        {"kind", text},        {"site", number},          {"thread", number},
        {"target", number},    {"target_offset", number}, {"state", text}};
    Batch out(columns.size());
    uint64_t from = first ? store.events_by(first - 1) : 0, to = store.events_by(last);
    for (const Version &version : store.versions(address, size, from, to)) {
        // Contents from before the recording stand before the event of their number.
        uint64_t before = store.timestamp_after(version.event);
        uint64_t timestamp = version.initial ? before : store.timestamp_of(version.event);
        Meaning meaning;
        uint64_t stored = version.event + !version.initial;
        if (version.size == 8)
            meaning = pointers.meaning(version.value, stored, stored);
        bool is_long = version.size > 8;
        out[0].number(timestamp);
        out[1].number(version.address);
        out[2].number(version.size);
        out[3].number(is_long ? N() : N(version.value));
        out[4].string_or_null(is_long ? hex(store.bytes(version)) : "");
        out[5].flag(!version.initial && timestamp == before);
        out[6].string(version.initial ? "initial" : store.tables().write_kind(version.site));
        out[7].id(version.site);
        out[8].number(version.initial ? N() : N(store.thread_of(version.event)));
        out[9].id(meaning.target);
        out[10].number(meaning.target ? N(meaning.offset) : N());
        out[11].string(name_of(meaning.state));
    }
    return table_of(columns, std::move(out));
}

} // namespace heapstory
