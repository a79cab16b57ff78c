// The points of a run between its changes: calls, returns, C-points, signals, ends.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/sql_parts.h"

#include <algorithm>
#include <csignal>
#include <cstring>

namespace heapstory {

namespace {

using enum ColumnType;

struct Point { // a row of cpoints
    uint32_t event;
    std::string_view kind;
    std::string name;
    uint32_t site;
    std::optional<uint32_t> thread;
};

// Null for marks that are no points of the run.
const char *kind_of(const Mark &mark) {
    switch (mark.kind) {
    case Mark::Kind::cpoint:
        return "cpoint";
    case Mark::Kind::crash:
        return "crash";
    case Mark::Kind::exit:
        return "exit";
    case Mark::Kind::signal:
        return "signal";
    case Mark::Kind::exec:
        return "exec";
    case Mark::Kind::thread_end:
        return "thread-end";
    case Mark::Kind::begin:
        return "begin";
    case Mark::Kind::finish:
        return "end";
    default:
        return nullptr;
    }
}

// Whether stacks and registers are scanned for a mark.
bool scans_follow(const Mark &mark) {
    using enum Mark::Kind;
    return mark.kind == cpoint || mark.kind == crash || mark.kind == exit ||
           mark.kind == bad_free || mark.kind == error;
}

std::string signal_name(uint64_t number) {
    const char *name = number < NSIG ? sigabbrev_np(int(number)) : nullptr;
    return name ? std::string("SIG") + name : std::to_string(number);
}

Point point_of(const Mark &mark, const char *kind) {
    Point point{mark.event, kind, mark.text, mark.site, mark.thread};
    if (mark.kind == Mark::Kind::signal)
        point.name = signal_name(mark.a);
    if (mark.kind == Mark::Kind::crash && (mark.b & 0xff))
        point.name = signal_name(mark.b & 0xff);
    if (mark.kind == Mark::Kind::thread_end)
        point.thread = uint32_t(mark.a);
    return point;
}

void add_calls(std::vector<Point> &points, const EventsView &view, const Tables &tables) {
    for (const Call &call : view.calls()) {
        if (call.call >= tables.calls.size())
            continue;
        points.push_back({call.event,
                          call.is_return ? "return" : "entry",
                          tables.text(tables.functions[call.call].function),
                          tables.calls[call.call].site,
                          {}});
    }
}

} // namespace

TableData cpoints_table(std::shared_ptr<const Store> store, bool with_calls) {
    std::vector<ColumnSpec> columns = {{"timestamp", number},
                                       {"kind", text},
                                       {"name", text},
                                       {"site", number},
                                       {"thread", number}};
    struct Last { // mark: a scan with the same event belongs to it, perhaps in the next chunk
        bool scans = false;
        uint64_t event = 0;
    };
    auto fill = [store, with_calls, last = Last()](uint32_t chunk, Batch &out) mutable {
        uint64_t first = store->header(chunk).first_event;
        std::vector<Point> points;
        EventsView view = store->events(chunk);
        if (with_calls)
            add_calls(points, view, store->tables());
        for (const Mark &mark : view.marks()) {
            bool is_scan = mark.kind == Mark::Kind::scan;
            uint64_t event = first + mark.event;
            if (is_scan && !(last.scans && last.event == event))
                points.push_back({mark.event, "scan", "", 0, mark.thread});
            else if (const char *kind = kind_of(mark))
                points.push_back(point_of(mark, kind));
            last = {is_scan || scans_follow(mark), event};
        }
        std::stable_sort(points.begin(), points.end(),
                         [](const Point &a, const Point &b) { return a.event < b.event; });
        auto clock = store->clock(chunk);
        for (const Point &point : points) {
            out[0].number(point.event ? clock->timestamps.of(point.event - 1)
                                      : store->header(chunk).first_timestamp);
            out[1].string(point.kind);
            out[2].string_or_null(point.name);
            out[3].id(point.site);
            out[4].number(point.thread ? *point.thread : store->thread_of(first + point.event));
        }
    };
    return by_chunk(store, columns, fill);
}

} // namespace heapstory
