// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/lookup.h"

#include <bit>

namespace heapstory {

Timestamps::Timestamps(std::vector<uint64_t> changes, uint64_t first_timestamp)
    : changes_(std::move(changes)) {
    before_.reserve(changes_.size() + 1);
    before_.push_back(first_timestamp);
    for (uint64_t bits : changes_)
        before_.push_back(before_.back() + uint64_t(std::popcount(bits)));
}

uint64_t Timestamps::of(uint32_t event) const {
    size_t word = event / 64;
    if (word >= changes_.size())
        return before_.empty() ? 0 : before_.back();
    uint64_t upto = ~uint64_t(0) >> (63 - event % 64);
    return before_[word] + uint64_t(std::popcount(changes_[word] & upto));
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

Lookup build_lookup(const TraceFile &file) {
    std::vector<NodeRow> rows;
    WordIndexBuilder words;
    for (uint32_t number = 0; number < file.chunks().size(); ++number) {
        const ChunkHeader &header = file.chunks()[number].header;
        if (header.kind != uint16_t(ChunkKind::events))
            continue;
        EventsView view(file.payload(number));
        words.add(view);
        Timestamps timestamps(view.changes(), header.first_timestamp);
        auto before = [&](uint32_t event) { // something that stands before an event
            return event ? timestamps.of(event - 1) : header.first_timestamp;
        };
        for (const Birth &birth : view.births()) {
            bool is_event = birth.kind == NodeKind::heap && !(birth.flags & Birth::initial);
            NodeRow row;
            row.address = birth.address;
            row.size = birth.size;
            row.birth = header.first_event + birth.event + is_event;
            row.birth_timestamp = is_event ? timestamps.of(birth.event) : before(birth.event);
            row.stack = birth.stack;
            row.name = birth.name;
            row.type = birth.type;
            row.kind = birth.kind;
            row.allocator = birth.allocator;
            row.flags = birth.flags;
            rows.push_back(row);
        }
        for (const Death &death : view.deaths()) {
            if (!death.node || death.node > rows.size())
                throw FormatError("a free of a node that was never born");
            NodeRow &row = rows[death.node - 1];
            bool is_event = row.kind == NodeKind::heap;
            row.death = header.first_event + death.event + is_event;
            row.death_timestamp = is_event ? timestamps.of(death.event) : before(death.event);
            row.free_stack = death.stack;
        }
    }
    return {encode_nodes(rows), words.encode()};
}

} // namespace heapstory
