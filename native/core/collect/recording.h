// Turns the recorder's stream into events of the trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/chunks/output.h"
#include "collect/chunks/shadow.h"
#include "collect/heap/allocations.h"
#include "collect/heap/found_nodes.h"
#include "collect/heap/frame_variables.h"
#include "collect/input/records.h"
#include "collect/program/call_stacks.h"
#include "collect/program/modules.h"
#include "collect/program/sites.h"
#include "collect/stream/builder.h"
#include "collect/stream/separator.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heapstory {

// Memory that was written by nothing that the recorder sees.
struct Unseen {
    static constexpr size_t most_ranges = 16;
    struct Range {
        uint64_t address, length;
    };
    uint64_t bytes = 0;
    std::vector<Range> ranges; // the first of them
    bool by_io_uring = false;  // perhaps: the program uses it

    bool any() const { return bytes || by_io_uring; }
    void add(uint64_t address);
};

class Recording {
  public:
    Recording(TraceWriter &writer, const RecordingOptions &options)
        : options_(options), output_(writer, options_, tables_, modules_, shadow_, stacks_) {}

    // Whole records, with their payloads; the stream may be cut anywhere between records.
    void feed(ByteSpan records);
    // Looks up names of what has been met, so that less is left to do at the end.
    void look_up() { modules_.resolve_ahead(); }
    // Writes out what has been gathered, if anything.
    void flush();
    // The same, and waits until it is in the file.
    void write_out();
    // Ends the trace: names, types, source and look-up tables.
    void close();

    bool enough() const { return enough_; }
    // Errors and bad frees so far.
    uint64_t findings() const { return errors_ + bad_frees(); }
    uint64_t scans() const { return scans_; } // that came to their end, of those asked for
    bool enough_of_stream() const { return enough_of_stream_; }
    std::optional<int> exit_code() const { return exit_code_; }
    std::optional<int> crash_signal() const { return crash_signal_; }
    // Double, bad and mismatched ones.
    uint64_t bad_frees() const { return bad_frees_ + allocations_.mismatched(); }
    const Tables &tables() const { return tables_; }
    const Unseen &unseen() const { return unseen_; }

  private:
    // Records that are none of the stream, up to the first that is one. Returns where. `steps` are
    // those of the stream in which they stand.
    const uint8_t *parse(ByteSpan records, std::span<const RecordStep> steps);
    const uint8_t *parse_record(const uint8_t *at, const uint8_t *end);
    // The same of records among which there are those of the stream, up to where it pauses.
    const uint8_t *separate(const uint8_t *at, const uint8_t *end);
    void parse_others();
    void fetch_ahead(const uint8_t *at, const uint8_t *end) const;
    void enter_stream();
    void settle_stream(); // no more records of it follow
    void write_sequence() { output_.write_sequence(stream_.take(builder_.events())); }
    void end_window(std::optional<WindowEnd> end); // none: it was cut off
    void store(uint32_t raw, uint64_t address, uint64_t value);
    void control(const Record &record, const Payload &payload);
    void moment(const Record &record, const Payload &payload);
    void cpoint(const Record &record, const Payload &payload);
    void bad_free(const Record &record);
    void crash(const Record &record);
    void unwind(uint64_t stack_pointer);
    bool continues(const uint8_t *at);
    void error(const Record &record, const Payload &payload);
    Mark &mark(Mark::Kind kind, uint64_t a = 0, uint64_t b = 0);

    void call(const Record &record);
    void returned(const Frame &frame);
    void found_stack(const Record &record, const Payload &payload);
    void mapped(const Record &record, const Payload &payload);

    void range(const Record &record, const Payload &payload);
    void fill(const Record &record);
    uint32_t ranged_site(uint64_t raw, unsigned kind);
    void begin_ranged_event(unsigned kind);

    RecordingOptions options_;
    Tables tables_;
    Modules modules_{tables_};
    Shadow shadow_;
    CallStacks stacks_;
    Sites sites_{tables_, modules_, stacks_};
    Output output_;
    ChunkBuilder &builder_ = output_.builder;
    Allocations allocations_{output_, shadow_, tables_, modules_, sites_, options_};
    FoundNodes found_nodes_{output_, shadow_, stacks_, sites_};
    FrameVariables frame_variables_{output_, shadow_, tables_, modules_, options_};

    StreamBuilder stream_;
    StreamSeparator separator_{stream_, [this](uint32_t raw) { return sites_.raw(raw).pc; }};
    bool in_stream_ = false; // since its first record
    bool enough_of_stream_ = false;
    uint64_t step_ = 0; // of the stream, in which the present record of a mapping stands
    std::optional<uint64_t> window_; // the first step of the one that is open

    bool continued_range_ = false;
    std::optional<Record> fill_; // a ranged store of one byte's value, until HSW_FILL names it
    bool in_snapshot_ = false;   // between HSW_SNAPSHOT and HSW_BEGIN
    bool finished_ = false;      // after HSW_FINISH
    bool executes_ = false;      // after HSW_EXECVE
    bool enough_ = false;
    uint64_t bad_frees_ = 0; // of what is no block
    uint64_t errors_ = 0, scans_ = 0;
    std::optional<int> exit_code_, crash_signal_;
    Unseen unseen_;
};

} // namespace heapstory
