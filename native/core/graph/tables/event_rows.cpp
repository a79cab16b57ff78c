// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/event_rows.h"

#include "graph/tables/bad_frees.h"

#include <algorithm>
#include <cstring>

namespace heapstory {

bool is_change_of_nodes(std::string_view kind) {
    return kind == "alloc" || kind == "free" || kind == "realloc" || kind == "split" ||
           kind == "merge" || kind == "separate" || kind == "bad-free" || kind == "double-free";
}

namespace {

// The rows of the chunk that are merges or separations, each with the node it names.
template <class Change>
void add_changes(const Store &store, uint32_t chunk, const std::vector<Change> &changes,
                 uint64_t Change::*node, std::string_view kind, std::vector<EventRow> &rows) {
    uint64_t first = store.header(chunk).first_event;
    auto at = std::upper_bound(changes.begin(), changes.end(), first,
                               [](uint64_t n, const Change &c) { return n < c.after; });
    for (; at != changes.end() && at->after <= first + rows.size(); ++at) {
        NodeRow found = store.nodes().get((*at).*node);
        rows[at->after - first - 1] = {found.address, found.address + found.size, 0, at->site,
                                       kind};
    }
}

std::string_view birth_kind(const Birth &birth) {
    if (birth.flags & (Birth::in_place | Birth::moved))
        return "realloc";
    return birth.allocator == Allocator::split ? "split" : "alloc";
}

} // namespace

std::vector<EventRow> event_rows(const Store &store, uint32_t chunk) {
    const Tables &tables = store.tables();
    EventsView view = store.events(chunk);
    std::vector<EventRow> rows(store.header(chunk).events);
    auto row = [&](uint32_t event) -> EventRow & { return rows.at(event); };
    auto extend = [&](EventRow &r, uint64_t address, uint64_t size, uint64_t value, uint32_t site) {
        uint64_t so_far = r.end - r.address;
        if (!r.end) {
            r.address = address;
            r.value = value;
        } else if (address == r.end && so_far < 8) { // slots come in order of address
            r.value |= value << (8 * so_far);
        }
        r.end = std::max(r.end, address + size);
        r.site = site;
        r.kind = tables.write_kind(site);
    };
    std::vector<Slot> slots;
    for (const SlotSegment &segment : view.segments()) {
        decode_segment(segment, view.slots(), slots);
        for (const Slot &slot : slots)
            extend(row(slot.event), slot.word * 8 + shape_first(slot.shape), shape_size(slot.shape),
                   slot.value, slot.site);
    }
    auto found = store.ranges(chunk);
    for (const Range &range : found->ranges) {
        if (range.is_initial)
            continue;
        uint64_t value = 0;
        if (range.is_fill)
            std::memset(&value, range.fill, sizeof value);
        else
            std::memcpy(&value, found->bytes.data() + range.bytes,
                        std::min<uint64_t>(8, range.length));
        extend(row(range.event), range.address, range.length, value, range.site);
    }
    for (const Death &death : view.deaths()) {
        NodeRow node = store.nodes().get(death.node);
        if (node.kind != NodeKind::heap)
            continue;
        row(death.event) = {node.address, node.address + node.size, 0,
                            tables.site_of_stack(death.stack), "free"};
    }
    for (const Birth &birth : view.births()) {
        if (birth.kind != NodeKind::heap || birth.flags & Birth::initial)
            continue;
        row(birth.event) = {birth.address, birth.address + birth.size, 0,
                            tables.site_of_stack(birth.stack), birth_kind(birth)};
    }
    for (const BadFree &bad : bad_frees_of(store, chunk))
        row(bad.event) = {bad.address, bad.address, 0, tables.site_of_stack(bad.stack),
                          bad.error()};
    const Discoveries &found_nodes = store.discovered().lists();
    add_changes(store, chunk, found_nodes.merges, &Merge::from, "merge", rows);
    add_changes(store, chunk, found_nodes.separations, &Separation::node, "separate", rows);
    return rows;
}

} // namespace heapstory
