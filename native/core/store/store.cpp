// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/store.h"

#include <algorithm>

namespace heapstory {

Store::Store(const std::string &directory) : directory_(directory), file_(directory) {
    if (file_.chunks().empty())
        throw FormatError(directory + ": nothing was recorded (no whole chunk); record again");
    for (const ChunkEntry &entry : file_.chunks())
        if (uint16_t version = entry.header.version;
            version < oldest_version || version > format_version) {
            bool newer = version > format_version;
            throw FormatError(directory + ": written by " + (newer ? "a newer" : "an older") +
                              " heapstory (format " + std::to_string(version) +
                              ", this one reads " + std::to_string(format_version) + "); " +
                              (newer ? "upgrade heapstory" : "record again"));
        }
    if (!file_.closed() && file_.damaged_at())
        damage_ = "reading stopped at byte " + std::to_string(file_.damaged_at()) + " of " +
                  std::to_string(file_.size()) + " of " + directory + "/chunks";
    read_tables();
    Discoveries found = read_discoveries(file_);
    make_lookup(found);
    discovered_ = std::make_unique<Discovered>(std::move(found), *nodes_);
}

void Store::read_tables() {
    TablesReader reader(tables_);
    for (uint32_t i = 0; i < file_.chunks().size(); ++i) {
        const ChunkHeader &header = file_.chunks()[i].header;
        switch (ChunkKind(header.kind)) {
        case ChunkKind::tables:
            reader.rows(file_.payload(i));
            break;
        case ChunkKind::symbols:
            reader.symbols(file_.payload(i));
            break;
        case ChunkKind::events:
            event_chunks_.push_back(i);
            totals_.events = header.first_event + header.events;
            totals_.changes = header.first_timestamp + header.changes;
            totals_.slots += header.slots;
            ++totals_.chunks;
            break;
        case ChunkKind::keyframe:
            add_keyframe(i);
            break;
        default:
            break;
        }
    }
    // A recording that was cut off may lack the names of its last rows.
    tables_.places.resize(std::max(tables_.places.size(), tables_.sites.size()));
    tables_.instruction_functions.resize(tables_.places.size());
    tables_.functions.resize(std::max(tables_.functions.size(), tables_.calls.size()));
    tables_.stack_types.resize(std::max(tables_.stack_types.size(), tables_.stacks.size()));
}

// Once its last part is there: a recording may have been cut off in between.
void Store::add_keyframe(uint32_t chunk) {
    const ChunkHeader &last = header(chunk);
    if (last.events + 1 == last.slots && last.events <= chunk)
        keyframes_.push_back({chunk - last.events, last.slots, last.first_event});
}

void Store::make_lookup(const Discoveries &found) {
    Lineage lineage(found.origins);
    std::vector<uint32_t> groups;
    for (uint32_t i = 0; i < file_.chunks().size(); ++i) {
        ChunkKind kind = ChunkKind(file_.chunks()[i].header.kind);
        if (kind == ChunkKind::nodes)
            nodes_ = std::make_unique<NodeTable>(file_.payload(i), lineage);
        else if (kind == ChunkKind::words)
            groups.push_back(i);
    }
    if (nodes_ && groups.size() * WordIndex::group_chunks >= event_chunks_.size()) {
        words_ = std::make_unique<WordIndex>(file_, std::move(groups));
        return;
    }
    Lookup lookup = build_lookup(file_, found.extents);
    nodes_ = std::make_unique<NodeTable>(std::move(lookup.nodes), std::move(lineage));
    words_ = std::make_unique<WordIndex>(std::move(lookup.words));
}

std::shared_ptr<const ChunkClock> Store::clock(uint32_t chunk) const {
    return clocks_.get(chunk, [&](ChunkClock &clock) {
        const Bytes head = file_.head(chunk);
        EventsView view(head);
        clock.timestamps = Timestamps(view.changes(), header(chunk).first_timestamp);
        clock.switches = view.switches();
    });
}

std::shared_ptr<const ChunkRanges> Store::ranges(uint32_t chunk) const {
    return ranges_.get(chunk, [&](ChunkRanges &found) {
        EventsView view = events(chunk);
        found.ranges = view.ranges();
        if (!found.ranges.empty())
            found.bytes = view.range_bytes();
        for (const Range &range : found.ranges)
            if (!range.is_fill && (range.bytes > found.bytes.size() ||
                                   range.length > found.bytes.size() - range.bytes))
                throw FormatError("damaged range in chunk " + std::to_string(chunk));
    });
}

std::shared_ptr<const std::vector<Slot>> Store::segment(uint32_t chunk, uint32_t number) const {
    return segments_.get(uint64_t(chunk) << 32 | number, [&](std::vector<Slot> &slots) {
        EventsView view = events(chunk);
        decode_segment(view.segments()[number], view.slots(), slots);
    });
}

uint32_t Store::chunk_of(uint64_t event) const {
    auto after = std::upper_bound(
        event_chunks_.begin(), event_chunks_.end(), event,
        [this](uint64_t e, uint32_t chunk) { return e < header(chunk).first_event; });
    return after == event_chunks_.begin() ? event_chunks_.front() : *(after - 1);
}

Clock::Clock(const Store &store)
    : store_(store), kept_(store.event_chunks().size()),
      ready_(std::make_unique<std::atomic<const ChunkClock *>[]>(kept_.size())) {
    for (uint32_t chunk : store.event_chunks())
        first_.push_back(store.header(chunk).first_event);
    slice_ = store.totals().events / (2 * first_.size() + 1) + 1;
    for (uint32_t index = 0; index < first_.size(); ++index)
        while (guess_.size() * slice_ < (index + 1 < first_.size() ? first_[index + 1] : never) &&
               guess_.size() * slice_ <= store.totals().events)
            guess_.push_back(index);
}

const ChunkClock &Clock::load(size_t index) const {
    auto clock = store_.clock(store_.event_chunks()[index]);
    std::lock_guard lock(mutex_);
    if (!kept_[index]) {
        kept_[index] = clock;
        ready_[index].store(clock.get(), std::memory_order_release);
    }
    return *kept_[index];
}

uint64_t Store::timestamp_of(uint64_t event) const {
    if (event_chunks_.empty())
        return 0;
    uint32_t chunk = chunk_of(event);
    return clock(chunk)->timestamps.of(uint32_t(event - header(chunk).first_event));
}

bool Store::is_change(uint64_t event) const {
    return timestamp_of(event) != timestamp_after(event);
}

uint64_t Store::events_by(uint64_t timestamp) const {
    // The last chunk that begins at or before the timestamp: what follows is later.
    auto after = std::upper_bound(
        event_chunks_.begin(), event_chunks_.end(), timestamp,
        [this](uint64_t t, uint32_t chunk) { return t < header(chunk).first_timestamp; });
    if (after == event_chunks_.begin())
        return 0;
    uint32_t chunk = *(after - 1);
    const ChunkHeader &h = header(chunk);
    return h.first_event + clock(chunk)->timestamps.events_by(timestamp, h.events);
}

uint32_t ChunkClock::thread_of(uint32_t event) const {
    auto after = std::ranges::upper_bound(switches, event, {}, &Switch::event);
    return after == switches.begin() ? 1 : (after - 1)->thread;
}

uint32_t Store::thread_of(uint64_t event) const {
    uint32_t chunk = chunk_of(event);
    return clock(chunk)->thread_of(uint32_t(event - header(chunk).first_event));
}

const Store::Keyframe *Store::keyframe_before(uint64_t n) const {
    const Keyframe *best = nullptr;
    for (const Keyframe &keyframe : keyframes_)
        if (keyframe.events <= n)
            best = &keyframe;
    return best;
}

uint64_t Store::contents_since(uint64_t node, const NodeRow &row, uint64_t address) const {
    uint64_t eldest = nodes().lineage().eldest(node);
    NodeRow at = eldest == node ? row : nodes().get(eldest);
    while (at.flags & Birth::in_place && at.birth) {
        uint64_t before = nodes().find_last(at.address, at.birth - 1);
        if (!before)
            break;
        NodeRow older = nodes().get(before);
        // The end of a node and the birth of the next are one event, or two.
        bool followed = older.death == at.birth || older.death + 1 == at.birth;
        if (!followed || older.address != at.address || !older.holds(address))
            break;
        at = older;
    }
    return at.birth - at.is_event();
}

} // namespace heapstory
