// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/stream.h"

#include "format/stream/blocks.h"

#include <algorithm>
#include <utility>

namespace heapstory {

StreamTotals stream_totals(const Store &store) {
    StreamTotals totals;
    StreamTotals::Window open;
    for (uint32_t chunk = 0; chunk < store.file().chunks().size(); ++chunk) {
        const ChunkHeader &header = store.header(chunk);
        switch (ChunkKind(header.kind)) {
        case ChunkKind::own_code:
        case ChunkKind::code:
            totals.bytes += header.length;
            break;
        case ChunkKind::blocks:
            totals.blocks += header.slots;
            totals.bytes += header.length;
            break;
        case ChunkKind::stream:
            totals.steps += header.slots;
            totals.instructions += header.changes;
            totals.bytes += header.length;
            open.steps += header.slots;
            open.instructions += header.changes;
            break;
        case ChunkKind::window:
            open.end = decode_window(store.file().payload(chunk)).end;
            totals.windows.push_back(open);
            open = {totals.steps, 0, 0, {}};
            break;
        default:
            break;
        }
    }
    if (open.steps)
        totals.windows.push_back(open);
    return totals;
}

StoredStream::StoredStream(std::shared_ptr<const Store> store) : store_(std::move(store)) {
    const TraceFile &file = store_->file();
    for (uint32_t chunk = 0; chunk < file.chunks().size(); ++chunk) {
        const ChunkHeader &header = file.chunks()[chunk].header;
        const ChunkKind kind = ChunkKind(header.kind);
        if (kind != ChunkKind::blocks && kind != ChunkKind::stream)
            continue;
        bytes_ += header.length;
        if (kind == ChunkKind::blocks) {
            decode_blocks(file.payload(chunk), header, blocks_);
            file.release(chunk);
            continue;
        }
        if (header.first_word != steps_)
            throw FormatError("steps of the instruction stream are missing");
        chunks_.push_back(chunk);
        steps_ += header.slots;
    }
}

void StoredStream::read(uint32_t sequence, stream::Sequence &into) const {
    if (auto known = kept(sequence)) {
        into = *known;
        return;
    }
    const uint32_t chunk = chunks_[sequence];
    decode_sequence(store_->file().payload(chunk), header(sequence), blocks_, into);
    store_->file().release(chunk);
    keep(sequence, into);
}

std::shared_ptr<const stream::Sequence> StoredStream::kept(uint32_t sequence) const {
    std::lock_guard lock(kept_in_use_);
    auto found = kept_.find(sequence);
    return found == kept_.end() ? nullptr : found->second;
}

void StoredStream::keep(uint32_t sequence, const stream::Sequence &decoded) const {
    const size_t bytes = decoded.block.size() * (2 * sizeof(uint32_t) + sizeof(uint8_t)) +
                         decoded.words.size() * sizeof(uint64_t) +
                         decoded.effects.size() * sizeof(stream::Effect);
    std::lock_guard lock(kept_in_use_);
    if (kept_bytes_ + bytes > most_kept)
        return;
    kept_bytes_ += bytes;
    kept_.emplace(sequence, std::make_shared<const stream::Sequence>(decoded));
}

std::optional<uint64_t> StoredStream::step_of(uint64_t event) const {
    auto after =
        std::upper_bound(chunks_.begin(), chunks_.end(), event, [this](uint64_t e, uint32_t chunk) {
            return e < store_->header(chunk).first_event;
        });
    // A sequence without events begins with the same number as the one that has them.
    while (after != chunks_.begin()) {
        const uint32_t chunk = *--after;
        const ChunkHeader &found = store_->header(chunk);
        if (!found.events && found.first_event == event)
            continue;
        const std::vector<EventStep> &steps = event_steps(chunk);
        auto item = std::ranges::lower_bound(steps, event, {}, &EventStep::event);
        if (item != steps.end() && item->event == event)
            return found.first_word + item->step;
        break;
    }
    return std::nullopt;
}

std::vector<stream::Allocation> StoredStream::allocations() const {
    std::vector<stream::Allocation> found;
    store_->nodes().for_each([&](uint64_t, const NodeRow &row) {
        const bool is_known =
            row.allocator != Allocator::unknown && row.allocator <= Allocator::new_array;
        if (!is_known || !row.is_event() || row.flags & Birth::in_place)
            return;
        if (auto step = step_of(row.birth - 1))
            found.push_back({*step, {row.address, row.size}});
    });
    std::ranges::stable_sort(found, {}, &stream::Allocation::step);
    return found;
}

const std::vector<EventStep> &StoredStream::event_steps(uint32_t chunk) const {
    if (asked_ != chunk) {
        asked_events_ = decode_event_steps(store_->file().head(chunk), store_->header(chunk));
        asked_ = chunk;
    }
    return asked_events_;
}

uint64_t StoredStream::events_by(uint64_t step) const {
    auto after =
        std::upper_bound(chunks_.begin(), chunks_.end(), step, [this](uint64_t s, uint32_t chunk) {
            return s < store_->header(chunk).first_word;
        });
    if (after == chunks_.begin())
        return 0;
    const uint32_t chunk = *--after;
    const ChunkHeader &found = store_->header(chunk);
    const std::vector<EventStep> &steps = event_steps(chunk);
    auto later = std::ranges::upper_bound(steps, step - found.first_word, {}, &EventStep::step);
    return later == steps.begin() ? found.first_event : (later - 1)->event + 1;
}

} // namespace heapstory
