// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/window/fields.h"

#include "graph/nodes/types.h"

#include <algorithm>

namespace heapstory {

const std::vector<std::string> &kinds() {
    static const std::vector<std::string> words = {"initial", "zeroed",  "store",  "copy",
                                                   "fill",    "syscall", "meaning"};
    return words;
}

const std::vector<std::string> &states() {
    static const std::vector<std::string> words = {"live", "dangling", "aliased", "stale",
                                                   "null", "wild",     "data"};
    return words;
}

FieldPlace place_of(const Tables &tables, TypeId type, const NodeRow &node, uint64_t word) {
    const uint64_t first = std::max(word * 8, node.address);
    const uint64_t end = std::min(word * 8 + 8, node.address + node.size);
    FieldPlace place{first - node.address, uint32_t(end - first), uint32_t(8 * (first - word * 8))};
    const TypeId field = field_type(tables, type, place.offset);
    place.pointer = place.size == 8 && is_pointer(tables, field);
    if (place.pointer)
        if (TypeId to = tables.types[field].target; to && to < tables.types.size())
            place.to_record = tables.types[to].kind == TypeKind::record;
    return place;
}

namespace {

VersionKind kind_of(const Tables &tables, const VersionRecord &record) {
    if (record.is_meaning)
        return VersionKind::meaning;
    if (record.initial)
        return record.zeroed ? VersionKind::zeroed : VersionKind::initial;
    const SiteKind kind =
        record.site < tables.sites.size() ? tables.sites[record.site].kind : SiteKind::store;
    switch (kind) {
    case SiteKind::copy:
        return VersionKind::copy;
    case SiteKind::fill:
        return VersionKind::fill;
    case SiteKind::syscall:
        return VersionKind::syscall;
    default:
        return VersionKind::store;
    }
}

PointerState state_of(const FieldPlace &place, const VersionRecord &record) {
    if (record.target && !record.stale)
        return PointerState::live;
    if (record.target && !record.followed)
        return PointerState::stale;
    if (record.target)
        return record.by ? PointerState::aliased : PointerState::dangling;
    if (!place.pointer || record.known != 0xff)
        return PointerState::data;
    if (!record.value)
        return PointerState::null;
    return place.to_record ? PointerState::wild : PointerState::data;
}

} // namespace

void FieldReader::fill(const FieldPlace &place, const VersionRecord &record,
                       FieldVersion &version) const {
    const uint64_t all = place.size == 8 ? ~uint64_t(0) : (uint64_t(1) << 8 * place.size) - 1;
    version.kind = kind_of(store_.tables(), record);
    version.value = record.value >> place.shift & all;
    version.known = uint32_t(record.known) >> place.shift / 8 & ((1u << place.size) - 1);
    version.state = state_of(place, record);
    version.target = record.target;
    version.target_offset = record.target_offset;
    version.by = record.by;
    version.from = record.is_meaning || record.initial ? timestamp_after(record.event)
                                                       : clock_.of(record.event);
    if (record.is_meaning) {
        version.silent = false;
        return; // by whom and when it was stored: as before
    }
    version.stored = version.from;
    version.silent = !record.initial && version.from == timestamp_after(record.event);
    version.site = record.site;
    version.thread = record.initial ? 0 : clock_.thread_of(record.event);
}

void add_version(Batch &out, const FieldVersion &version) {
    using N = std::optional<uint64_t>;
    out[0].number(version.from);
    out[1].number(version.stored);
    out[2].choice(uint8_t(version.kind));
    out[3].flag(version.silent);
    out[4].number(version.value);
    out[5].small(version.known);
    out[6].choice(uint8_t(version.state));
    out[7].id(version.target);
    out[8].number(version.target ? N(version.target_offset) : N());
    out[9].id(version.by);
    out[10].small_id(version.site);
    out[11].small_id(version.thread);
}

} // namespace heapstory
