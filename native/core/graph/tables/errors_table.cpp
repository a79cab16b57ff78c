// What the checker found: accesses outside of blocks and the like. Bad frees are in `frees`. And
// what stacks and registers held meanwhile.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/sql_parts.h"

#include <optional>
#include <unordered_map>

namespace heapstory {

namespace {

using enum ColumnType;

// The members of ErrorKind, by number.
const std::vector<std::string> error_kinds = {"?",
                                              "unaddressable-read",
                                              "unaddressable-write",
                                              "overlap",
                                              "bad-argument",
                                              "uninitialized-condition",
                                              "uninitialized-address",
                                              "uninitialized-argument"};

// How often each error happened, where that was more than once; said at the end of a trace.
std::unordered_map<uint64_t, uint64_t> times_of(const Store &store) {
    std::unordered_map<uint64_t, uint64_t> times;
    for (uint32_t chunk : store.event_chunks())
        for (const Mark &mark : store.events(chunk).marks())
            if (mark.kind == Mark::Kind::error_times)
                times[mark.a] = mark.b;
    return times;
}

// The node that begins there, or the last one that did, also in a larger one; 0 for none.
uint64_t node_at(const Store &store, uint64_t block, uint64_t events) {
    if (!block)
        return 0;
    uint64_t node = store.nodes().find(block, events);
    uint64_t last = store.nodes().find_last(block, events);
    bool begins = last && store.nodes().get(last).address == block;
    return !node || (begins && last > node) ? last : node;
}

// The number of the last event before a mark; none before the first.
std::optional<uint64_t> last_event(uint64_t first, const Mark &mark) {
    uint64_t before = first + mark.event;
    return before ? std::optional(before - 1) : std::nullopt;
}

// The marks of a scan follow what it was made for, perhaps in the next chunk.
template <class Visit> void each_scan_of_error(const Store &store, Visit visit) {
    std::optional<uint64_t> event, number;
    bool erred = false;
    for (uint32_t chunk : store.event_chunks()) {
        uint64_t first = store.header(chunk).first_event;
        for (const Mark &mark : store.events(chunk).marks()) {
            if (mark.kind == Mark::Kind::scan) {
                if (erred)
                    visit(event, number, mark);
                continue;
            }
            bool is_error = mark.kind == Mark::Kind::error;
            erred = is_error || mark.kind == Mark::Kind::bad_free;
            event = last_event(first, mark);
            number = is_error ? std::optional(decode_error(mark.text).number) : std::nullopt;
        }
    }
}

} // namespace

TableData held_table(std::shared_ptr<const Store> store) {
    std::vector<ColumnSpec> columns = {
        {"error", number}, {"event", number}, {"name", text}, {"address", word}, {"value", word}};
    Batch out(columns.size());
    each_scan_of_error(*store, [&](auto event, auto number, const Mark &scan) {
        for (const ScannedWord &word : scanned_words(scan)) {
            out[0].number(number);
            out[1].number(event);
            out[2].string_or_null(word.name);
            out[3].id(word.address);
            out[4].number(word.value);
        }
    });
    return table_of(columns, std::move(out));
}

TableData errors_table(std::shared_ptr<const Store> store) {
    std::vector<ColumnSpec> columns = {
        {"error", number},        {"timestamp", number}, {"kind", choice, error_kinds},
        {"address", word},        {"size", number},      {"site", number},
        {"stack", number},        {"thread", number},    {"node", number},
        {"by_system_call", flag}, {"count", number},     {"event", number},
        {"origin", number}};
    auto times = std::make_shared<std::unordered_map<uint64_t, uint64_t>>(times_of(*store));
    return by_chunk(store, columns, [store, times](uint32_t chunk, Batch &out) {
        auto clock = store->clock(chunk);
        uint64_t first = store->header(chunk).first_event;
        for (const Mark &mark : store->events(chunk).marks()) {
            if (mark.kind != Mark::Kind::error)
                continue;
            ErrorDetails details = decode_error(mark.text);
            auto counted = times->find(details.number);
            out[0].number(details.number);
            out[1].number(mark.event ? clock->timestamps.of(mark.event - 1)
                                     : store->header(chunk).first_timestamp);
            out[2].choice(mark.a < error_kinds.size() ? uint8_t(mark.a) : 0);
            out[3].number(mark.b);
            out[4].number(details.bytes);
            out[5].id(mark.site);
            out[6].id(details.stack);
            out[7].number(mark.thread);
            out[8].id(node_at(*store, details.block, first + mark.event));
            out[9].flag(details.by_system_call);
            out[10].number(counted == times->end() ? 1 : counted->second);
            out[11].number(last_event(first, mark));
            out[12].id(details.origin);
        }
    });
}

} // namespace heapstory
