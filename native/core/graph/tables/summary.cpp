// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/summary.h"

#include "graph/moment/graph.h"

#include <algorithm>

namespace heapstory {

namespace {

void count_events(const EventsView &view, Summary &out) {
    for (const Birth &birth : view.births())
        out.allocations += birth.kind == NodeKind::heap;
    out.frees += view.deaths().size();
    out.calls += view.calls().size();
    out.ranges += view.ranges().size();
    for (const Mark &mark : view.marks()) {
        if (mark.kind == Mark::Kind::cpoint)
            ++out.cpoints;
        else if (mark.kind == Mark::Kind::crash) {
            out.crash_site = mark.site;
            out.crash_stack = uint32_t(mark.b >> 8);
        }
    }
    for (const Switch &item : view.switches())
        out.threads = std::max<uint64_t>(out.threads, item.thread);
}

} // namespace

Summary summary_of(const Store &store, const Pointers &pointers) {
    Summary out;
    for (uint32_t chunk = 0; chunk < store.file().chunks().size(); ++chunk) {
        const ChunkHeader &header = store.header(chunk);
        uint64_t bytes = sizeof header + padded(header.length);
        switch (ChunkKind(header.kind)) {
        case ChunkKind::source:
            out.source_bytes += bytes;
            break;
        case ChunkKind::symbols:
        case ChunkKind::tables:
            out.symbol_bytes += bytes;
            break;
        case ChunkKind::blocks:
        case ChunkKind::stream:
        case ChunkKind::window:
        case ChunkKind::own_code:
        case ChunkKind::code:
            break; // the instruction stream has counts of its own
        case ChunkKind::events:
            count_events(store.events(chunk), out);
            [[fallthrough]];
        default:
            out.event_bytes += bytes;
        }
    }
    Graph last(store, pointers, store.totals().changes, false);
    out.nodes = last.nodes().size();
    for (const auto &batch : last.pointers())
        for (uint8_t state : (*batch)[EdgeColumn::state].codes)
            out.edges += EdgeState(state) == EdgeState::live;
    return out;
}

} // namespace heapstory
