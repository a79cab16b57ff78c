// Turns the recorder's stream into the chunks of a trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/builder.h"
#include "collect/call_stacks.h"
#include "collect/live_nodes.h"
#include "collect/modules.h"
#include "collect/shadow.h"
#include "collect/write_queue.h"
#include "format/tables.h"
#include "format/trace_file.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heapstory {

struct RecordingOptions {
    bool source = true;           // keep source text
    uint64_t most_changes = 0;    // --for: stop after so many, 0 never
    uint64_t keyframe_ratio = 16; // slots between keyframes, in live words
};

class Recording {
  public:
    Recording(TraceWriter &writer, const RecordingOptions &options);

    // Whole records, with their payloads; the stream may be cut anywhere between records.
    void feed(ByteSpan records);
    // Writes out what has been gathered, if anything.
    void flush();
    // Ends the trace: names, types, source and look-up tables.
    void close();

    bool enough() const { return enough_; }
    std::optional<int> exit_code() const { return exit_code_; }
    std::optional<int> crash_signal() const { return crash_signal_; }
    const Tables &tables() const { return tables_; }

  private:
    struct RawSite {          // as the recorder numbers them
        uint32_t site = 0;    // for own code, or for `context`; 0: none yet
        uint32_t context = 0; // other code: the own call that it counts for
        uint8_t size = 0, kind = 0;
        bool own = false;
        uint64_t pc = 0;
        uint64_t last_call = 0; // calls: the last record's value ...
        uint32_t call = 0;      // ... and its call id
    };
    struct Record {
        uint32_t tag;
        uint64_t address, value;
    };
    struct Payload {
        ByteSpan bytes;
        uint64_t end_value = 0;
    };

    const uint8_t *control(const Record &record, const uint8_t *at, const uint8_t *end);
    const uint8_t *payload(const uint8_t *at, const uint8_t *end, uint64_t length, Payload &out);
    const uint8_t *skip_payload(const Record &record, const uint8_t *at, const uint8_t *end);
    const uint8_t *text_payload(const uint8_t *at, const uint8_t *end, std::string &out);

    void store(uint32_t raw, uint64_t address, uint64_t value);
    uint32_t site_of(RawSite &raw);
    uint32_t make_site(const RawSite &raw, uint32_t context, SiteKind kind);
    void define_site(const Record &record);
    void call(const Record &record);
    uint32_t call_id(const RawSite &raw, uint64_t value);
    void returned(const Frame &frame);
    uint32_t current_stack();
    uint32_t intern_stack(uint32_t parent, uint32_t site);
    uint32_t ranged_site(uint32_t raw, unsigned kind);

    void allocate(uint64_t address, uint64_t size, unsigned allocator);
    void found(uint64_t address, uint64_t size, unsigned allocator);
    void custom_allocate(uint64_t address, uint64_t size);
    void release(uint64_t address, unsigned allocator);
    void reallocate(uint64_t old_address, uint64_t old_size);
    uint64_t born(Birth birth);
    void globals(uint64_t address, uint64_t length);
    void unmapped(uint64_t address, uint64_t length);
    void range(const Record &record, const Payload &payload);
    void fill(uint64_t address, uint64_t length, uint8_t byte, uint32_t raw);
    Mark &mark(Mark::Kind kind);
    void begin_ranged_event(unsigned kind);
    void begin_event();
    void begin_chunk();
    void write_chunk();
    void write_tables();
    void append(ChunkKind kind, Bytes payload, ChunkHeader header = {});
    void write_keyframe();
    void write_sources();

    TraceWriter &writer_;
    RecordingOptions options_;
    Tables tables_;
    TablesWriter tables_writer_{tables_};
    Modules modules_{tables_};
    Shadow shadow_;
    ChunkBuilder builder_{shadow_};
    ChunkPacker packer_{writer_};
    CallStacks stacks_;
    LiveNodes live_, custom_;
    std::unordered_map<uint64_t, uint64_t> globals_; // node by address

    std::vector<RawSite> raw_sites_;
    std::unordered_map<uint64_t, uint32_t> site_ids_;  // other code: raw site << 32 | context
    std::unordered_map<uint64_t, uint32_t> stack_ids_; // parent << 32 | site
    std::unordered_map<uint64_t, uint32_t> call_ids_;  // site << 40 | target
    uint64_t next_node_ = 1;
    uint64_t slots_since_keyframe_ = 0;
    bool continued_range_ = false;
    bool in_snapshot_ = false;           // between HSW_SNAPSHOT and HSW_BEGIN
    bool finished_ = false;              // after HSW_FINISH
    std::optional<Record> reallocation_; // the new block, until the old one is named
    bool enough_ = false;
    std::optional<int> exit_code_, crash_signal_;
    WriteQueue queue_; // last: its tasks use the others
};

} // namespace heapstory
