// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/bands/change_counts.h"

#include "graph/tables/event_rows.h"
#include "store/parallel.h"

#include <algorithm>
#include <utility>

namespace heapstory {

ChangeCounts::ChangeCounts(std::shared_ptr<const Store> store)
    : store_(std::move(store)), kept_(store_->event_chunks().size()) {}

namespace {

// Counts changes one after the other.
class Tally {
  public:
    explicit Tally(size_t sites) : places_(sites + 1) {}

    void add(uint32_t site, uint32_t thread, uint64_t timestamp) {
        uint32_t &place = places_[std::min<size_t>(site, places_.size() - 1)];
        if (!place) {
            counts_.statements.push_back({site, 0, timestamp, timestamp});
            place = uint32_t(counts_.statements.size());
        }
        ChunkCounts::Statement &statement = counts_.statements[place - 1];
        ++statement.changes;
        statement.last = timestamp;
        auto of_thread = std::ranges::find(counts_.threads, thread, &ChunkCounts::Thread::thread);
        if (of_thread == counts_.threads.end())
            of_thread = counts_.threads.insert(of_thread, {thread, 0});
        ++of_thread->changes;
    }
    // What was counted; counting starts again.
    ChunkCounts take() {
        for (const ChunkCounts::Statement &statement : counts_.statements)
            places_[std::min<size_t>(statement.site, places_.size() - 1)] = 0;
        std::ranges::sort(counts_.statements, {}, &ChunkCounts::Statement::site);
        std::ranges::sort(counts_.threads, {}, &ChunkCounts::Thread::thread);
        return std::exchange(counts_, {});
    }
    bool empty() const { return counts_.threads.empty(); }

  private:
    std::vector<uint32_t> places_; // by site: 1 + its place in the list
    ChunkCounts counts_;
};

} // namespace

std::vector<ChangeCounts::Part> ChangeCounts::parts(size_t number,
                                                    std::span<const uint64_t> bounds) const {
    const uint32_t chunk = store_->event_chunks()[number];
    const std::vector<EventRow> rows = event_rows(*store_, chunk);
    const auto clock = store_->clock(chunk);
    std::vector<Part> parts;
    Tally tally(store_->tables().sites.size());
    uint64_t before = store_->header(chunk).first_timestamp;
    size_t next_switch = 0, bucket = 0;
    uint32_t thread = 1;
    auto finish = [&] {
        if (!tally.empty())
            parts.push_back({bucket, tally.take()});
    };
    for (uint32_t event = 0; event < rows.size(); ++event) {
        while (next_switch < clock->switches.size() && clock->switches[next_switch].event <= event)
            thread = clock->switches[next_switch++].thread;
        const uint64_t timestamp = clock->timestamps.of(event);
        if (timestamp == before)
            continue;
        before = timestamp;
        if (timestamp <= bounds.front() || timestamp > bounds.back())
            continue;
        if (timestamp > bounds[bucket + 1]) {
            finish();
            while (timestamp > bounds[bucket + 1])
                ++bucket;
        }
        tally.add(rows[event].site, thread, timestamp);
    }
    finish();
    return parts;
}

std::shared_ptr<const ChunkCounts> ChangeCounts::find(size_t number) const {
    std::lock_guard lock(mutex_);
    return kept_[number];
}

std::shared_ptr<const ChunkCounts> ChangeCounts::get(size_t number) {
    if (auto found = find(number))
        return found;
    constexpr uint64_t all[] = {0, never};
    std::vector<Part> found = parts(number, all);
    auto made = std::make_shared<const ChunkCounts>(found.empty() ? ChunkCounts{}
                                                                  : std::move(found[0].counts));
    std::lock_guard lock(mutex_);
    return kept_[number] = made;
}

size_t ChangeCounts::left() const {
    std::lock_guard lock(mutex_);
    return size_t(std::ranges::count(kept_, nullptr));
}

size_t ChangeCounts::count(size_t most) {
    std::vector<size_t> todo;
    {
        std::lock_guard lock(mutex_);
        for (size_t number = 0; number < kept_.size() && todo.size() < most; ++number)
            if (!kept_[number])
                todo.push_back(number);
    }
    in_parallel(todo.size(), [&](size_t i) { get(todo[i]); });
    return left();
}

} // namespace heapstory
