// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/chunks/output.h"

#include "collect/program/source_files.h"
#include "collect/types/settle.h"
#include "format/index/lookup.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace heapstory {

Output::Output(TraceWriter &writer, const RecordingOptions &options, Tables &tables,
               Modules &modules, Shadow &shadow, const CallStacks &stacks)
    : builder(shadow), writer_(writer), options_(options), tables_(tables), modules_(modules),
      shadow_(shadow), stacks_(stacks) {
    begin_chunk();
}

void Output::begin_chunk() {
    builder.lists.switches.push_back({0, stacks_.thread()});
    stacks_.for_each_thread([this](uint32_t thread, const std::vector<Frame> &frames) {
        OpenCalls open{thread, {}};
        for (const Frame &frame : frames)
            if (frame.call)
                open.calls.push_back(frame.call);
        builder.lists.open_calls.push_back(std::move(open));
    });
}

// Everything is written in order: behind what is being packed.
void Output::write_later(std::function<void()> task) {
    packing_.add([this, task = std::move(task)] { writing_.add(task); });
}

void Output::drain() {
    packing_.drain();
    writing_.drain();
}

void Output::append(ChunkKind kind, Bytes payload, ChunkHeader header) {
    if (payload.empty())
        return;
    auto shared = std::make_shared<Bytes>(std::move(payload));
    write_later([this, kind, shared, header] { writer_.append(kind, *shared, header); });
}

void Output::write_tables() {
    modules_.resolve();
    if (!options_.held_back)
        modules_.resolve_new_types();
    append(ChunkKind::tables, tables_writer_.rows());
    append(ChunkKind::symbols, tables_writer_.symbols());
}

void Output::write_discoveries() {
    if (!discoveries.empty())
        append(ChunkKind::discoveries, encode_discoveries(discoveries));
    discoveries = {};
}

void Output::write_chunk() {
    write_tables();
    write_discoveries();
    auto chunk = std::make_shared<GatheredChunk>(builder.take());
    begin_chunk();
    slots_since_keyframe_ += chunk->header.slots;
    packing_.add([this, chunk] { packer_.write(chunk); });
    if (slots_since_keyframe_ >=
        std::max(options_.keyframe_least, options_.keyframe_ratio * shadow_.live_words()))
        write_keyframe();
    if (shadow_.wants_sweep()) {
        packing_.drain(); // the packer uses pages of the chunks it has not packed yet
        shadow_.sweep();
    }
}

void Output::write_keyframe() {
    packing_.drain(); // the packer says who wrote last
    ChunkHeader header;
    header.first_event = builder.events();
    header.first_timestamp = builder.timestamp();
    std::vector<KeyframePart> parts = shadow_.keyframe(builder.events());
    header.slots = uint32_t(parts.size());
    for (KeyframePart &part : parts) {
        header.first_word = part.first_word;
        append(ChunkKind::keyframe, std::move(part.payload), header);
        ++header.events;
    }
    slots_since_keyframe_ = 0;
}

void Output::write_own_code(std::span<const uint64_t> instructions) {
    executed_.add(instructions);
    for (const ModuleCode &code : executed_.take_bytes()) {
        ChunkHeader header;
        header.first_word = code.address;
        append(ChunkKind::code, encode_code(code.bytes), header);
    }
    if (OwnCode found = executed_.take_code(); !found.instructions.empty()) {
        write_tables(); // it has strings of theirs
        append(ChunkKind::own_code, encode_own_code(std::move(found)));
    }
}

void Output::write_sequence(GatheredSequence gathered) {
    write_own_code(gathered.instructions_met);
    auto shared = std::make_shared<GatheredSequence>(std::move(gathered));
    packing_.add([this, shared] {
        early_packer_.meet(*shared);
        std::optional<std::vector<PackedChunk>> packed;
        if (writing_.is_busy())
            packed = early_packer_.pack(*shared);
        writing_.add([this, shared, packed = std::move(packed)] {
            late_packer_.meet(*shared);
            for (const PackedChunk &chunk : packed ? *packed : late_packer_.pack(*shared))
                writer_.append(chunk.kind, chunk.payload, chunk.header);
        });
    });
}

void Output::write_window(const StreamWindow &window) {
    append(ChunkKind::window, encode_window(window));
}

void Output::flush() {
    if (!builder.empty())
        write_chunk();
}

void Output::write_sources() {
    for (const SourceText &source :
         SourceFiles(tables_, modules_, options_.source_from).read(executed_.paths()))
        append(ChunkKind::source, encode_source(source));
}

void Output::close() {
    flush();
    write_discoveries();
    write_tables();
    if (!options_.held_back)
        modules_.resolve_types();
    append(ChunkKind::symbols, tables_writer_.symbols());
    if (options_.source)
        write_sources();
    // The last moment is the one that is asked for most.
    if (slots_since_keyframe_ > options_.keyframe_ratio * shadow_.live_words())
        write_keyframe();
    drain();
    TraceFile written(writer_.directory());
    writer_.append(ChunkKind::nodes, build_nodes(written, read_discoveries(written).extents));
    packer_.finish();
    drain();
    write_settled_types();
    writer_.close();
}

// Whether the program's own code has types.
bool Output::has_types() const {
    for (uint32_t module = 1; module < tables_.modules.size(); ++module)
        if (ElfFile *file = modules_.is_own(module) ? modules_.file(module) : nullptr)
            if (file->has_debug_info())
                return true;
    return false;
}

// The trace is whole but for its directory: it can be asked what became of the blocks.
void Output::write_settled_types() {
    if (options_.held_back || !has_types()) // all of it would be read for nothing
        return;
    tables_.stack_types = settle_types(Store(writer_.directory()), modules_);
    modules_.add_types();
    if (Bytes payload = tables_writer_.symbols(); !payload.empty())
        writer_.append(ChunkKind::symbols, payload);
}

} // namespace heapstory
