// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/history/edge_versions.h"

#include <algorithm>

namespace heapstory {

ValueRanges::ValueRanges(std::vector<std::pair<uint64_t, uint64_t>> ranges) {
    std::ranges::sort(ranges);
    for (const auto &[first, last] : ranges) {
        if (ends_.empty() || first > ends_.back()) {
            starts_.push_back(first);
            ends_.push_back(last);
        } else {
            ends_.back() = std::max(ends_.back(), last);
        }
    }
}

bool EdgeVersions::read(const Visit &visit) {
    if (next_chunk_ < store_.event_chunks().size()) {
        chunk(store_.event_chunks()[next_chunk_++], visit);
        return true;
    }
    for (const auto &[word, edge] : standing_)
        visit(edge);
    standing_.clear();
    return false;
}

// Gathers the chunk's writes to words that hold, or are given, a pointer, in order of time.
void EdgeVersions::chunk(uint32_t number, const Visit &visit) {
    writes_.clear();
    candidates_.clear();
    gather_slots(number);
    if (gather_ranges(number))
        std::stable_sort(writes_.begin(), writes_.end(), [](const Write &a, const Write &b) {
            return a.word != b.word ? a.word < b.word : a.stored < b.stored;
        });
    for (const Write &w : writes_)
        write(w, visit);
}

void EdgeVersions::gather_slots(uint32_t number) {
    EventsView view = store_.events(number);
    auto clock = store_.clock(number);
    uint64_t base = store_.header(number).first_event;
    bool wanted = false;
    uint64_t word = never;
    size_t first = 0;
    std::vector<Slot> slots;
    auto finish_word = [&] {
        if (!wanted) {
            writes_.resize(first);
            return;
        }
        candidates_.insert(word);
        for (size_t i = first; i < writes_.size(); ++i)
            writes_[i].timestamp = clock->timestamps.of(writes_[i].event - base);
    };
    for (const SlotSegment &segment : view.segments()) {
        decode_segment(segment, view.slots(), slots);
        for (const Slot &slot : slots) {
            if (slot.word != word) {
                finish_word();
                word = slot.word;
                first = writes_.size();
                wanted = standing_.contains(word);
            }
            bool whole = slot.shape == whole_word;
            wanted |= whole && may_be_pointer(slot.value);
            uint64_t event = base + slot.event;
            writes_.push_back({word, event + 1, slot.value, event, 0, slot.site, whole});
        }
    }
    finish_word();
}

bool EdgeVersions::gather_ranges(uint32_t number) {
    auto clock = store_.clock(number);
    auto found = store_.ranges(number);
    const ChunkHeader &header = store_.header(number);
    for (const Range &range : found->ranges) {
        uint64_t event = header.first_event + range.event;
        uint64_t timestamp =
            range.is_initial ? header.first_timestamp : clock->timestamps.of(range.event);
        for (uint64_t at = 0; at + 8 <= range.length; at += 8) {
            uint64_t value = 0, word = (range.address + at) / 8;
            if (range.is_fill)
                std::memset(&value, range.fill, 8);
            else
                std::memcpy(&value, found->bytes.data() + range.bytes + at, 8);
            if (!may_be_pointer(value) && !standing_.contains(word) && !candidates_.contains(word))
                continue;
            candidates_.insert(word);
            writes_.push_back({word, event + !range.is_initial, value, event, timestamp, range.site,
                               range.address % 8 == 0});
        }
    }
    return !found->ranges.empty();
}

void EdgeVersions::write(const Write &w, const Visit &visit) {
    auto old = standing_.find(w.word);
    bool pointer = w.whole && may_be_pointer(w.value);
    if (old == standing_.end() && !pointer)
        return;
    EdgeVersion edge;
    bool fresh = pointer || (w.whole && !w.value);
    if (fresh) {
        Meaning meaning = pointers_.meaning(w.value, w.stored, w.stored);
        edge.word = w.word;
        edge.value = w.value;
        edge.target = meaning.target;
        edge.target_offset = meaning.offset;
        edge.state = meaning.state;
        edge.event = w.event;
        edge.timestamp = w.timestamp;
        edge.site = w.site;
        fresh = meaning.state != EdgeState::data;
    }
    if (fresh) {
        edge.node = store_.nodes().find(w.word * 8, w.event + 1);
        fresh = edge.node != 0;
    }
    if (fresh) {
        NodeRow row = store_.nodes().get(edge.node);
        edge.address = row.address;
        edge.until = row.death_timestamp;
    }
    if (old != standing_.end()) {
        // A NULL belongs to the history of a pointer only within the same node.
        if (fresh && edge.state == EdgeState::null && old->second.node != edge.node)
            fresh = false;
        old->second.until = std::min(old->second.until, w.timestamp);
        visit(old->second);
        if (fresh)
            old->second = edge;
        else
            standing_.erase(old);
    } else if (fresh && edge.state != EdgeState::null) {
        standing_.emplace(w.word, edge);
    }
}

namespace {

class Rows {
  public:
    Rows(std::shared_ptr<const Store> store, std::shared_ptr<const Pointers> pointers,
         std::shared_ptr<const ValueRanges> wanted)
        : store_(std::move(store)), pointers_(std::move(pointers)),
          versions_(*store_, *pointers_, std::move(wanted)) {}

    std::shared_ptr<const Batch> next() {
        auto out = std::make_shared<Batch>(10);
        while (!done_ && !out->rows())
            done_ = !versions_.read([&](const EdgeVersion &edge) { add(edge, *out); });
        return out->rows() ? out : nullptr;
    }

  private:
    void add(const EdgeVersion &edge, Batch &out) const {
        using N = std::optional<uint64_t>;
        out[0].number(edge.node);
        out[1].number(edge.word * 8 - edge.address);
        out[2].number(edge.value);
        out[3].id(edge.target);
        out[4].number(edge.target ? N(edge.target_offset) : N());
        out[5].string(name_of(edge.state));
        out[6].number(edge.timestamp);
        out[7].number(edge.until == never ? N() : N(edge.until));
        out[8].id(edge.site);
        out[9].number(store_->thread_of(edge.event));
    }

    std::shared_ptr<const Store> store_;
    std::shared_ptr<const Pointers> pointers_;
    EdgeVersions versions_;
    bool done_ = false;
};

} // namespace

TableData edge_versions_table(std::shared_ptr<const Store> store,
                              std::shared_ptr<const Pointers> pointers,
                              std::shared_ptr<const ValueRanges> wanted) {
    std::vector<ColumnSpec> columns = {
        {"node", ColumnType::number},          {"offset", ColumnType::number},
        {"value", ColumnType::word},           {"target", ColumnType::number},
        {"target_offset", ColumnType::number}, {"state", ColumnType::text},
        {"timestamp", ColumnType::number},     {"until", ColumnType::number},
        {"site", ColumnType::number},          {"thread", ColumnType::number}};
    return {columns, [store, pointers, wanted]() -> BatchSource {
                auto rows = std::make_shared<Rows>(store, pointers, wanted);
                return [rows] { return rows->next(); };
            }};
}

} // namespace heapstory
