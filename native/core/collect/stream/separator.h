// Tells the records of the stream from the others.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// The others are put side by side, as if there were no stream: only so are stores of a loop a run,
// and only so does a return find its call. While there is a stream the recorder does not take back
// calls during which nothing was recorded (see HSW_CALL): that is done here.
#pragma once

#include "collect/input/records.h"
#include "collect/stream/builder.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace heapstory {

// From this byte of the other records on, they belong to that step.
struct RecordStep {
    size_t offset = 0;
    uint32_t step = 0;
};

class StreamSeparator {
  public:
    using AddressOfSite = std::function<uint64_t(uint32_t raw)>;
    explicit StreamSeparator(StreamBuilder &builder, AddressOfSite address_of_site)
        : builder_(builder), address_of_site_(std::move(address_of_site)) {}

    static bool is_stream(uint32_t tag);
    static bool ends_stream(const uint8_t *record);

    // Takes records up to the end, up to the first execution for which the sequence has no room or
    // that is beyond the limit, or up to the end of the stream. Returns where.
    const uint8_t *take(const uint8_t *at, const uint8_t *end);
    // The other records up to here, but for calls that may yet be taken back, and their steps.
    ByteSpan others() const { return ByteSpan(others_).first(settled()); }
    const std::vector<RecordStep> &steps() const { return steps_; }
    // They have been dealt with.
    void drop_others();
    // There will be no more records of the stream: no call will be taken back here.
    void finish();
    // At most so many instructions; 0: no limit.
    void set_limit(uint64_t instructions) { limit_ = instructions; }
    bool is_at_limit() const { return limit_ && builder_.instructions() >= limit_; }
    // Records have come of a block whose own has not.
    bool is_ahead() const { return is_ahead_; }
    // Nothing of what follows belongs into the trace, though the recorder has yet to stop.
    void ignore_stream() { ignores_ = true; }

  private:
    const uint8_t *take_void(const uint8_t *at, const uint8_t *end);
    stream::Effect result_from(stream::Range memory) const;
    const uint8_t *take_executions(const uint8_t *at, const uint8_t *end);
    const uint8_t *take_executed(const uint8_t *at, const uint8_t *end);
    void take_stream(const Record &record, ByteSpan payload);
    const uint8_t *take_stores(const uint8_t *at, const uint8_t *end);
    void take_other(const Record &record, ByteSpan bytes);
    void add_other(ByteSpan bytes);
    void note_effect(const Record &record);
    void moved_to(const Record &record);
    void reallocated(const Record &old);
    // The step that the other records belong to.
    uint32_t step() const;
    bool ends_in_call(uint64_t slot) const;
    void take_back(size_t call_end);
    void returned();
    size_t settled() const;

    StreamBuilder &builder_;
    AddressOfSite address_of_site_;
    Bytes others_;
    std::vector<RecordStep> steps_;
    // Where the call ends that the block under way returns from, as long as it recorded nothing
    // itself. Of other code: returns of own code are recorded.
    std::optional<size_t> returns_from_;
    Record moved_;                // until HSW_MOVED_TO says where to
    uint64_t faulted_ = 0;        // the instruction, until its signal comes
    stream::Range placed_;        // the same: what says where to
    Record reallocated_;          // until HSW_REALLOC_OLD says from where
    bool is_ahead_ = false;       // of the block under way: its record follows in the next segment
    std::vector<uint64_t> sites_; // addresses, by number, of those met here
    uint64_t limit_ = 0;
    bool ignores_ = false, finished_ = false;
};

} // namespace heapstory
