// A trace opened for questions.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two clocks: an event is counted from 0 in the order of the recording; a timestamp counts changes.
// "After n events" is the state that the first n events leave behind; as of timestamp T means after
// all events whose timestamp is at most T.
#pragma once

#include "format/container/cache.h"
#include "format/container/trace_file.h"
#include "format/events/events.h"
#include "format/index/keyframe.h"
#include "format/index/lookup.h"
#include "format/program/tables.h"
#include "store/discovered.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace heapstory {

// One write to (part of) a word or a range of words.
struct Version {
    uint64_t event = 0; // never, for contents from before the recording
    uint64_t address = 0, size = 0;
    uint64_t value = 0; // of the first 8 bytes
    uint32_t site = 0;
    bool initial = false;
    uint64_t order = 0; // ascending in time, contents before the recording first
    static constexpr uint32_t slot = ~uint32_t(0);
    uint32_t chunk = 0, range = slot; // where it was found; `slot`: not in a ranged store

    bool covers(uint64_t at) const { return at - address < size; }
};

// The bytes of one word, with the write that came last.
struct WordState {
    uint64_t value = 0;
    uint8_t mask = 0; // bytes that are known, one bit each
    uint64_t event = 0;
    uint32_t site = 0;
    bool initial = false; // from before the recording: event is no event
};

// When the events of a chunk happened: small, asked for all the time.
struct ChunkClock {
    Timestamps timestamps;
    std::vector<Switch> switches;
    // Which thread an event of the chunk is of.
    uint32_t thread_of(uint32_t event) const;
};

// The long ranged stores of a chunk, with their bytes.
struct ChunkRanges {
    std::vector<Range> ranges;
    Bytes bytes;
};

struct Totals {
    uint64_t events = 0, changes = 0, slots = 0, chunks = 0;
};

class Store {
  public:
    explicit Store(const std::string &directory);

    const TraceFile &file() const { return file_; }
    const Tables &tables() const { return tables_; }
    const NodeTable &nodes() const { return *nodes_; }
    const Totals &totals() const { return totals_; }
    const std::vector<uint32_t> &event_chunks() const { return event_chunks_; }
    // None, or one line on where reading stopped.
    std::optional<std::string> damage() const { return damage_; }

    uint64_t timestamp_of(uint64_t event) const;
    uint64_t timestamp_after(uint64_t n) const { return n ? timestamp_of(n - 1) : 0; }
    // How many events have a timestamp up to `timestamp`.
    uint64_t events_by(uint64_t timestamp) const;
    bool is_change(uint64_t event) const;
    uint32_t thread_of(uint64_t event) const;

    // A word after n events, as far back as event `since`.
    WordState word(uint64_t word, uint64_t n, uint64_t since) const;
    // Every write that touches these bytes, of events first <= event < last, in order of time.
    std::vector<Version> versions(uint64_t address, uint64_t size, uint64_t first,
                                  uint64_t last) const;
    // The last of them to one byte that changed nothing and whose statement is known.
    std::optional<Version> last_silent(uint64_t address, uint64_t first, uint64_t last) const;
    // All bytes of a version.
    Bytes bytes(const Version &version) const;
    // Bytes after n events; none where any of them was never recorded.
    std::optional<Bytes> bytes(uint64_t address, uint64_t size, uint64_t n) const;
    // From which event on what an address of a node holds is the node's own: earlier than its birth
    // where it was split off another, or where reallocation left it in place, as far as the older
    // node reached. Later addresses are never its own for longer.
    uint64_t contents_since(uint64_t node, const NodeRow &row, uint64_t address) const;
    const Discovered &discovered() const { return *discovered_; }

    EventsView events(uint32_t chunk) const { return EventsView(file_.payload(chunk)); }
    const ChunkHeader &header(uint32_t chunk) const { return file_.chunks()[chunk].header; }
    std::shared_ptr<const ChunkClock> clock(uint32_t chunk) const;
    std::shared_ptr<const ChunkRanges> ranges(uint32_t chunk) const;
    std::shared_ptr<const std::vector<Slot>> segment(uint32_t chunk, uint32_t number) const;
    // The last keyframe that holds no more than n events, if any.
    struct Keyframe {
        uint32_t chunk = 0, parts = 0; // in the file: that many chunks from there on
        uint64_t events = 0;
    };
    const Keyframe *keyframe_before(uint64_t n) const;
    KeyframeView keyframe_part(const Keyframe &keyframe, uint32_t part) const {
        return KeyframeView(file_.payload(keyframe.chunk + part), keyframe.events);
    }
    // The events chunk that holds an event.
    uint32_t chunk_of(uint64_t event) const;

  private:
    void read_tables();
    void add_keyframe(uint32_t chunk);
    void make_lookup(const Discoveries &found);
    // The events chunks that may hold words first .. last (of one page) in group of 64 chunks.
    std::vector<uint32_t> chunks_with(size_t group, uint64_t first_word, uint64_t last_word) const;
    void word_in_chunk(uint32_t chunk, uint64_t word, uint64_t n, std::vector<Version> &out) const;
    // Kept for the next question, or decoded only as far as this one needs them.
    enum class Segments { kept, passing };
    void slots_of(uint32_t chunk, uint64_t first_word, uint64_t last_word, uint64_t first,
                  uint64_t last, Segments segments_are, std::vector<Version> &out) const;
    void ranges_of(uint32_t chunk, uint64_t address, uint64_t size, uint64_t first, uint64_t last,
                   std::vector<Version> &out) const;
    bool from_keyframe(const Keyframe &keyframe, uint64_t word, KeyWord &out) const;

    std::string directory_;
    TraceFile file_;
    Tables tables_;
    std::unique_ptr<NodeTable> nodes_;
    std::unique_ptr<WordIndex> words_;
    std::unique_ptr<Discovered> discovered_;
    Totals totals_;
    std::vector<uint32_t> event_chunks_;
    std::vector<Keyframe> keyframes_;
    std::optional<std::string> damage_;
    mutable Cache<uint64_t, std::vector<Slot>> segments_{256};
    mutable Cache<uint32_t, ChunkClock> clocks_{1024};
    mutable Cache<uint32_t, ChunkRanges> ranges_{16};
    mutable Cache<uint64_t, std::vector<KeyWord>> key_segments_{128};
};

// Timestamps and threads of many events, asked for by several threads: keeps what it has decoded.
class Clock {
  public:
    explicit Clock(const Store &store);
    uint64_t of(uint64_t event) const {
        size_t index = index_of(event);
        return clock_at(index).timestamps.of(uint32_t(event - first_[index]));
    }
    uint32_t thread_of(uint64_t event) const {
        size_t index = index_of(event);
        return clock_at(index).thread_of(uint32_t(event - first_[index]));
    }
    // Soon to be asked for an event.
    void prefetch(uint64_t event) const {
        size_t index = index_of(event);
        clock_at(index).timestamps.prefetch(uint32_t(event - first_[index]));
    }

  private:
    size_t index_of(uint64_t event) const {
        size_t index = guess_[std::min<size_t>(event / slice_, guess_.size() - 1)];
        while (index + 1 < first_.size() && first_[index + 1] <= event)
            ++index;
        return index;
    }
    const ChunkClock &clock_at(size_t index) const {
        const ChunkClock *clock = ready_[index].load(std::memory_order_acquire);
        return clock ? *clock : load(index);
    }
    const ChunkClock &load(size_t index) const;
    const Store &store_;
    std::vector<uint64_t> first_; // event of each events chunk
    std::vector<uint32_t> guess_; // by slice of events: the chunk that its first one is in
    uint64_t slice_ = 1;
    mutable std::mutex mutex_;
    mutable std::vector<std::shared_ptr<const ChunkClock>> kept_;
    mutable std::unique_ptr<std::atomic<const ChunkClock *>[]> ready_; // of kept_
};

} // namespace heapstory
