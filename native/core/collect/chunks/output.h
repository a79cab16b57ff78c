// From gathered events to the chunks of a trace: when one is full, what is written beside it, and
// what is written at the end.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/chunks/builder.h"
#include "collect/chunks/packer.h"
#include "collect/chunks/shadow.h"
#include "collect/chunks/write_queue.h"
#include "collect/program/call_stacks.h"
#include "collect/program/executed.h"
#include "collect/program/modules.h"
#include "collect/stream/packer.h"
#include "format/container/trace_file.h"
#include "format/nodes/discoveries.h"
#include "format/program/tables.h"
#include "format/stream/windows.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heapstory {

struct RecordingOptions {
    bool source = true;                   // keep source text
    std::vector<std::string> source_from; // folders from which the user wants it kept
    std::vector<std::string> frames;      // functions whose variables are nodes, see Frames
    uint64_t most_changes = 0;            // --for: stop after so many, 0 never
    uint64_t most_instructions = 0;       // --stream-for
    // Nobody will ask for the past, but what is wrong and what is alive; see Recent.
    std::optional<uint64_t> held_back;
    uint64_t redzone = 0;
    // Slots between keyframes: at least so many, and in proportion to live words. Reading them
    // takes a fraction of a second, which windows of a view wait for.
    uint64_t keyframe_least = 8'000'000, keyframe_ratio = 4;
};

class Output {
  public:
    Output(TraceWriter &writer, const RecordingOptions &options, Tables &tables, Modules &modules,
           Shadow &shadow, const CallStacks &stacks);

    // Chunks end between events, so that all parts of an event are in one.
    void begin_event() {
        if (builder.is_full()) [[unlikely]]
            write_chunk();
        builder.begin_event();
    }
    // Writes out what has been gathered, if anything.
    void flush();
    // A stretch of the instruction stream.
    void write_sequence(GatheredSequence gathered);
    void write_window(const StreamWindow &window);
    // Waits until all that was handed over is in the file.
    void drain();
    // Ends the trace: names, types, source and look-up tables.
    void close();

    ChunkBuilder builder;    // of the chunk that is being gathered
    Discoveries discoveries; // that belong to it

  private:
    void begin_chunk();
    void write_chunk();
    void write_discoveries();
    void write_tables();
    void write_keyframe();
    void write_sources();
    void write_settled_types();
    bool has_types() const;
    void write_own_code(std::span<const uint64_t> instructions);
    void append(ChunkKind kind, Bytes payload, ChunkHeader header = {});
    void write_later(std::function<void()> task);

    TraceWriter &writer_;
    const RecordingOptions &options_;
    Tables &tables_;
    Modules &modules_;
    Shadow &shadow_;
    const CallStacks &stacks_;
    TablesWriter tables_writer_{tables_};
    Executed executed_{tables_, modules_};
    uint64_t slots_since_keyframe_ = 0;
    // Chunks go through two threads: one sorts and encodes them, the other compresses and writes.
    // Each one's tasks use what stands before it. A sequence of the stream is encoded by the first
    // if the second has something to do, so that both are in use.
    StreamPacker late_packer_;
    WriteQueue writing_;
    StreamPacker early_packer_;
    ChunkPacker packer_{writer_, shadow_, writing_};
    WriteQueue packing_;
};

} // namespace heapstory
