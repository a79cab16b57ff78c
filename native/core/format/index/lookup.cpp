// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/index/lookup.h"

#include <bit>
#include <unordered_map>

namespace heapstory {

Timestamps::Timestamps(const std::vector<uint64_t> &changes, uint64_t first_timestamp)
    : last_(first_timestamp) {
    steps_.reserve(changes.size());
    for (uint64_t bits : changes) {
        steps_.push_back({bits, last_});
        last_ += uint64_t(std::popcount(bits));
    }
}

uint32_t Timestamps::events_by(uint64_t timestamp, uint32_t events) const {
    uint32_t low = 0, high = events; // the first event with a later timestamp
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (of(middle) <= timestamp)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

namespace {

// An events chunk with its clock, for things that are events and things that stand before one.
struct ChunkReader {
    const ChunkHeader &header;
    EventsView view;
    Timestamps timestamps;

    ChunkReader(const TraceFile &file, uint32_t number)
        : header(file.chunks()[number].header), view(file.payload(number)),
          timestamps(view.changes(), header.first_timestamp) {}

    uint64_t count_of(uint32_t event, bool is_event) const {
        return header.first_event + event + is_event;
    }
    uint64_t timestamp_of(uint32_t event, bool is_event) const {
        if (is_event)
            return timestamps.of(event);
        return event ? timestamps.of(event - 1) : header.first_timestamp;
    }
};

struct End { // of a node; there may be very many, so its members share words
    uint64_t death : 40 = 0, stack_low : 24 = 0;
    uint64_t timestamp : 40 = 0, stack_high : 8 = 0, is_heap : 1 = 0, is_dead : 1 = 0;

    uint32_t stack() const { return uint32_t(stack_low | stack_high << 24); }
};
static_assert(sizeof(End) == 16);

template <class Visit> void for_each_chunk(const TraceFile &file, Visit visit) {
    for (uint32_t number = 0; number < file.chunks().size(); ++number)
        if (file.chunks()[number].header.kind == uint16_t(ChunkKind::events)) {
            visit(ChunkReader(file, number));
            file.release(number); // the trace may be larger than memory
        }
}

uint64_t count_nodes(const TraceFile &file) {
    for (size_t number = file.chunks().size(); number--;)
        if (file.chunks()[number].header.kind == uint16_t(ChunkKind::events)) {
            EventsView last(file.payload(number));
            uint64_t count = last.first_node() - 1 + last.births().size();
            constexpr uint64_t most_per_byte = 64;
            if (count > most_per_byte * file.size())
                throw FormatError("damaged number of nodes");
            return count;
        }
    return 0;
}

std::vector<End> node_ends(const TraceFile &file) {
    std::vector<End> ends;
    ends.reserve(count_nodes(file));
    for_each_chunk(file, [&](const ChunkReader &chunk) {
        for (const Birth &birth : chunk.view.births())
            ends.emplace_back().is_heap = birth.kind == NodeKind::heap;
        for (const Death &death : chunk.view.deaths()) {
            if (!death.node || death.node > ends.size())
                throw FormatError("a free of a node that was never born");
            End &end = ends[death.node - 1];
            end.death = chunk.count_of(death.event, end.is_heap);
            end.timestamp = chunk.timestamp_of(death.event, end.is_heap);
            end.stack_low = death.stack & 0xffffff;
            end.stack_high = death.stack >> 24;
            end.is_dead = 1;
        }
    });
    return ends;
}

} // namespace

// Two passes, so that only the ends of the nodes are held at once, not the nodes.
Bytes build_nodes(const TraceFile &file, const std::vector<Extent> &later) {
    std::vector<End> ends = node_ends(file);
    std::unordered_map<uint64_t, Extent> extents;
    for (const Extent &extent : later)
        extents[extent.node] = extent;
    NodeEncoder nodes;
    size_t next = 0;
    for_each_chunk(file, [&](const ChunkReader &chunk) {
        for (const Birth &birth : chunk.view.births()) {
            bool is_event = birth.kind == NodeKind::heap && !(birth.flags & Birth::initial);
            const End &end = ends[next++];
            NodeRow row;
            row.address = birth.address;
            row.size = birth.size;
            if (auto last = extents.find(next); last != extents.end()) {
                row.address = last->second.address;
                row.size = last->second.size;
            }
            row.birth = chunk.count_of(birth.event, is_event);
            row.birth_timestamp = chunk.timestamp_of(birth.event, is_event);
            if (end.is_dead) {
                row.death = end.death;
                row.death_timestamp = end.timestamp;
                row.free_stack = end.stack();
            }
            row.stack = birth.stack;
            row.name = birth.name;
            row.type = birth.type;
            row.kind = birth.kind;
            row.allocator = birth.allocator;
            row.flags = birth.flags;
            nodes.add(row);
        }
    });
    ends = {};
    return nodes.finish();
}

Lookup build_lookup(const TraceFile &file, const std::vector<Extent> &later) {
    Lookup lookup;
    WordIndexBuilder words([&](const Bytes &group) { lookup.words.push_back(group); });
    for_each_chunk(file, [&](const ChunkReader &chunk) { words.add(chunk.view); });
    words.finish();
    lookup.nodes = build_nodes(file, later);
    return lookup;
}

} // namespace heapstory
