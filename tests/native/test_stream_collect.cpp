// The collector's part of the instruction stream: records of both sorts, mixed.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/recording.h"
#include "format/events/events.h"
#include "format/events/slots.h"
#include "format/stream/blocks.h"
#include "format/stream/sequences.h"
#include "heapstory_wire.h"
#include "store/stream.h"

#include "catch.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <tuple>

using namespace heapstory;

namespace {

void put(Bytes &out, uint64_t first, uint64_t value) {
    for (uint64_t word : {first, value}) {
        const auto *bytes = reinterpret_cast<const uint8_t *>(&word);
        out.insert(out.end(), bytes, bytes + sizeof word);
    }
}

constexpr uint64_t stack = 0x1ffefff000;
constexpr uint8_t one_byte_nop = 0x90;

struct Code {
    uint64_t address = 0;
    hsw_jump jump = HSW_JUMP_PLAIN;
    bool own = true;
    unsigned instructions = 4;
    unsigned short words = 1; // the last is the address of the only access
    unsigned short stub = 0;  // memset's
};

void put_block(Bytes &out, uint32_t id, const Code &code) {
    hsw_block block{};
    block.address = code.address;
    block.code = (unsigned short)code.instructions;
    block.accesses = 1;
    block.words = code.words;
    block.stack_word = HSW_NO_WORD;
    block.jump = code.jump;
    block.stub = code.stub;
    block.stub_result = 1 << 7;
    block.stub_where = 1 << 7 | 1 << 2;
    block.stub_what = 1 << 6;
    block.own = code.own;
    hsw_access access{};
    access.size = 8;
    access.instruction = (unsigned short)(code.instructions - 1);
    access.word = (unsigned short)(code.words - 1);
    access.guard = access.value = HSW_NO_WORD;
    ByteWriter payload;
    payload.fixed(block);
    payload.raw(Bytes((code.instructions + 7) & ~7u, one_byte_nop));
    payload.fixed(access);
    put(out, HSW_WORD(HSW_BLOCK, id), payload.bytes.size());
    payload.bytes.resize((payload.bytes.size() + 15) & ~size_t(15));
    out.insert(out.end(), payload.bytes.begin(), payload.bytes.end());
    put(out, HSW_WORD(HSW_END, 0), 0);
}

void put_executed(Bytes &out, uint32_t id, std::vector<uint64_t> words,
                  uint64_t left = HSW_TO_THE_END) {
    words.insert(words.begin(), HSW_WORD(HSW_EXECUTED, left << 32 | id));
    if (words.size() % 2)
        words.push_back(0);
    for (size_t i = 0; i < words.size(); i += 2)
        put(out, words[i], words[i + 1]);
}

void put_site(Bytes &out, uint32_t id, hsw_site_kind kind) {
    put(out, HSW_WORD(HSW_SITE, 0x401000 + 16 * id), HSW_SITE_VALUE(id, 8, kind, HSW_SITE_OWN));
}

// The traces of a test, gone with it.
class Folder {
  public:
    Folder() { REQUIRE(mkdtemp(name_)); }
    ~Folder() { std::filesystem::remove_all(name_); }
    std::string operator/(const std::string &name) const {
        std::string path = std::string(name_) + "/" + name;
        std::filesystem::create_directory(path);
        return path;
    }

  private:
    char name_[32] = "/tmp/heapstory-stream-XXXXXX";
};

void record(const std::string &directory, ByteSpan records, const RecordingOptions &options = {}) {
    TraceWriter writer(directory);
    Recording recording(writer, options);
    recording.feed(records);
    recording.close();
}

// Stores (event, word, value, site), and calls and returns (event, call, which), as they are read:
// which stores are kept as a run depends on where the collector's input was cut.
struct Happened {
    std::vector<std::tuple<uint64_t, uint64_t, uint64_t, uint32_t>> stores;
    std::vector<std::tuple<uint64_t, uint32_t, bool>> calls;
    bool operator==(const Happened &) const = default;
};

Happened happened_in(const std::string &directory) {
    TraceFile trace(directory);
    Happened found;
    std::vector<Slot> slots;
    for (size_t chunk = 0; chunk < trace.chunks().size(); ++chunk) {
        const ChunkHeader &header = trace.chunks()[chunk].header;
        if (ChunkKind(header.kind) != ChunkKind::events)
            continue;
        EventsView view(trace.payload(chunk));
        for (const SlotSegment &segment : view.segments()) {
            decode_segment(segment, view.slots(), slots);
            for (const Slot &slot : slots)
                found.stores.emplace_back(header.first_event + slot.event, slot.word, slot.value,
                                          slot.site);
        }
        for (const Call &call : view.calls())
            found.calls.emplace_back(header.first_event + call.event, call.call, call.is_return);
    }
    std::ranges::sort(found.stores);
    return found;
}

} // namespace

TEST_CASE("with a stream the events are those without") {
    std::mt19937_64 random(21);
    Bytes plain, mixed;
    std::vector<uint64_t> steps_of_events;
    for (Bytes *out : {&plain, &mixed}) {
        put_site(*out, 1, HSW_SITE_STORE);
        put_site(*out, 2, HSW_SITE_CALL);
    }
    put_block(mixed, 1, {0x401000});                                // stores
    put_block(mixed, 2, {0x402000, HSW_JUMP_CALL});                 // calls
    put_block(mixed, 3, {0x403000, HSW_JUMP_RETURN});               // returns to it
    put_block(mixed, 4, {0x4000000, HSW_JUMP_RETURN, false, 3, 2}); // other code does
    uint64_t step = 0;
    for (unsigned round = 0; round < 50000; ++round) {
        const uint64_t slot = stack - 8 * (random() % 100);
        const bool calls = random() % 2, own = random() % 2, stores = random() % 2;
        const uint64_t call = HSW_WORD(HSW_CALL, slot), target = HSW_WORD(2, 0x401000);
        if (calls) {
            put_executed(mixed, 2, {slot});
            put(mixed, call, target);
            ++step;
        }
        for (unsigned i = 0; stores && i < 20; ++i, ++step) {
            const uint64_t address = 0x4a00000 + 8 * (round % 1000 + i);
            put_executed(mixed, 1, {address});
            put(mixed, HSW_WORD(1, address), round);
            if (calls && !i)
                put(plain, call, target); // else taken back by the recorder itself
            put(plain, HSW_WORD(1, address), round);
            steps_of_events.push_back(step);
        }
        if (calls) {
            put_executed(mixed, own ? 3 : 4, own ? std::vector{slot} : std::vector{round, slot});
            ++step;
        }
        if (calls && !own && random() % 4 == 0) { // the last block stores as well
            put(mixed, HSW_WORD(1, 0x4b00000), round);
            if (!stores)
                put(plain, call, target);
            put(plain, HSW_WORD(1, 0x4b00000), round);
            steps_of_events.push_back(step - 1);
        }
        if (calls && own)
            put(mixed, HSW_WORD(HSW_RET, slot), 0x403003);
        if (calls && own && stores)
            put(plain, HSW_WORD(HSW_RET, slot), 0x403003);
        for (Bytes *out : {&plain, &mixed}) // the next block is translated
            if (round % 100 == 0)
                put_site(*out, 3 + round / 100, HSW_SITE_STORE);
    }
    Folder folder;
    record(folder / "plain", plain);
    record(folder / "mixed", mixed);
    const bool same = happened_in(folder / "plain") == happened_in(folder / "mixed");
    CHECK(same);
    CHECK(happened_in(folder / "plain").stores.size() == steps_of_events.size());

    StoredStream read(std::make_shared<Store>(folder / "mixed"));
    CHECK(read.blocks() == 4);
    CHECK(read.steps() == step);
    CHECK(read.sequences() == (step + sequence_steps - 1) / sequence_steps);
    for (uint64_t event = 0; event < steps_of_events.size(); event += 1 + random() % 2000)
        REQUIRE(read.step_of(event) == steps_of_events[event]);
    CHECK(!read.step_of(steps_of_events.size()));
}

TEST_CASE("what is no instruction, and blocks that were left") {
    Bytes records;
    put_site(records, 1, HSW_SITE_RANGED);
    put(records, HSW_WORD(HSW_SWITCH, 3), stack);
    put_block(records, 1, {0x401000});
    put_executed(records, 1, {0x4a00000}); // step 0, thread 3
    put(records, HSW_WORD(HSW_MOVED, 0x5000), 24);
    put(records, HSW_WORD(HSW_MOVED_TO, 0x6000), 1); // 1
    put(records, HSW_WORD(HSW_MOVED, 0), 8);
    put(records, HSW_WORD(HSW_MOVED_TO, 0x7000), 1);       // 2
    put_executed(records, 1, {0x4a00000}, HSW_UNFINISHED); // 3
    put(records, HSW_WORD(HSW_FAULT, 0x401002), 0);
    put(records, HSW_WORD(HSW_SWITCH, 4), stack);
    put_executed(records, 1, {0x4a00000}, HSW_UNFINISHED); // 4
    put_block(records, 2, {0x401003});
    put(records, HSW_WORD(HSW_SWITCH, 3), stack);
    put_executed(records, 2, {0x4a00000}); // 5
    put(records, HSW_WORD(HSW_SWITCH, 4), stack);
    put_executed(records, 2, {0x4a00000}); // 6: thread 4 goes on
    put(records, HSW_WORD(HSW_SYSTEM_READ, 0xa000), 6);
    put(records, HSW_WORD(HSW_SWITCH, 3), stack);
    put_executed(records, 2, {0x4a00000}); // 7: while thread 4 waits
    put(records, HSW_WORD(HSW_SWITCH, 4), stack);
    put(records, HSW_WORD(HSW_SYSTEM_WROTE, 0x8000), 4);
    put(records, HSW_WORD(HSW_SYSTEM_WROTE, 0x9000), 5);
    put(records, HSW_WORD(HSW_SYSTEM_CALL, 1 << 0 | 1 << 7), 0); // 8: read rax and rdi
    Folder folder;
    record(folder / "trace", records);
    StoredStream read(std::make_shared<Store>(folder / "trace"));
    REQUIRE(read.sequences() == 1);
    stream::Sequence sequence;
    read.read(0, sequence);
    CHECK(sequence.block == std::vector<uint32_t>{1, 0, 0, 1, 1, 2, 2, 2, 0});
    REQUIRE(sequence.effects.size() == 3);
    CHECK(sequence.effects[0].kind == stream::EffectKind::copy);
    CHECK(sequence.effects[0].address == 0x401010);
    CHECK(sequence.effects[0].used.front().address == 0x5000);
    CHECK(sequence.effects[1].kind == stream::EffectKind::fill);
    CHECK(sequence.effects[1].defined.front().address == 0x7000);
    CHECK(sequence.effects[2].defined.size() == 2);
    CHECK(sequence.effects[2].used.front().address == 0xa000);
    CHECK(sequence.effects[2].address == 0x401006);
    stream::RegisterSet read_by_call, written_by_call;
    read_by_call.add_general(1 << 0 | 1 << 7);
    written_by_call.add_general(1 << 0 | 1 << 1 | 1 << 11);
    CHECK(sequence.effects[2].registers_used == read_by_call);
    CHECK(sequence.effects[2].registers_defined == written_by_call);
    REQUIRE(sequence.faults.size() == 2);
    CHECK(sequence.faults[0].step == 3);
    CHECK(sequence.faults[0].instructions == 2);
    CHECK(sequence.faults[1].step == 4);
    CHECK(sequence.faults[1].instructions == 3);
    std::vector<std::pair<uint32_t, uint32_t>> switches;
    for (const stream::Switch &item : sequence.switches)
        switches.emplace_back(item.step, item.thread);
    CHECK(switches == std::vector<std::pair<uint32_t, uint32_t>>{
                          {0, 3}, {4, 4}, {5, 3}, {6, 4}, {7, 3}, {8, 4}});
}

TEST_CASE("a block's records stand before its own where that has moved on") {
    Bytes records;
    put_site(records, 1, HSW_SITE_STORE);
    put_block(records, 1, {0x401000, HSW_JUMP_PLAIN, true, 4, 3});
    put_executed(records, 1, {1, 2, 0x4a00000}); // step 0
    put(records, HSW_WORD(1, 0x4a00000), 5);     // event 0
    const size_t moved = records.size();
    put_executed(records, 1, {HSW_WORD(1, 0x4a00000), 7, 0x4a00008});
    const uint64_t first = HSW_WORD(HSW_VOID, 1); // its words mean nothing
    std::memcpy(records.data() + moved, &first, sizeof first);
    put(records, HSW_WORD(1, 0x4a00008), 6);     // event 1
    put_executed(records, 1, {1, 2, 0x4a00008}); // step 1
    put(records, HSW_WORD(1, 0x4a00010), 7);     // event 2
    Folder folder;
    record(folder / "trace", records);
    StoredStream read(std::make_shared<Store>(folder / "trace"));
    CHECK(read.steps() == 2);
    CHECK(read.step_of(0) == 0);
    CHECK(read.step_of(1) == 1);
    CHECK(read.step_of(2) == 1);
    CHECK(!read.step_of(3));
}

TEST_CASE("what the recorder does itself") {
    Bytes records;
    put_site(records, 1, HSW_SITE_RANGED);
    put_block(records, 1, {0x401000});
    Code stub{0x402000};
    stub.stub = 2;
    put_block(records, 2, stub);
    put_executed(records, 2, {0});
    put(records, HSW_WORD(HSW_PLACED_BY, 0x6ff0), 17);
    put(records, HSW_WORD(HSW_MOVED, 0), 8);
    put(records, HSW_WORD(HSW_MOVED_TO, 0x7000), 1);
    put(records, HSW_WORD(HSW_RESULT_FROM, 0x7000), 3);
    put_executed(records, 2, {0});
    put(records, HSW_WORD(HSW_ALLOC, 0x4a00000), 64 | uint64_t(HSW_CALLOC) << 56);
    put_executed(records, 2, {0});
    put(records, HSW_WORD(HSW_REALLOC, 0x4b00000), 96 | uint64_t(HSW_MALLOC) << 56);
    put(records, HSW_WORD(HSW_REALLOC_OLD, 0x4a00000), 64);
    Folder folder;
    record(folder / "trace", records);
    StoredStream read(std::make_shared<Store>(folder / "trace"));
    CHECK(read.block(2).stub == 2);
    CHECK(read.block(2).stub_uses == 1 << 7);
    stream::Sequence sequence;
    read.read(0, sequence);
    REQUIRE(sequence.effects.size() == 4);
    const stream::Effect &fill = sequence.effects[0], &result = sequence.effects[1],
                         &zeroed = sequence.effects[2], &taken_along = sequence.effects[3];
    stream::RegisterSet where, what;
    where.add_general(1 << 7 | 1 << 2);
    what.add_general(1 << 6);
    CHECK(fill.registers_addressed == where);
    CHECK(fill.registers_used == what);
    REQUIRE(fill.used.size() == 1);
    CHECK(fill.used.front().size == 17);
    CHECK(fill.values() == 0);
    CHECK(result.kind == stream::EffectKind::result);
    CHECK(result.used.front().size == 3);
    CHECK(zeroed.kind == stream::EffectKind::allocation);
    CHECK(zeroed.defined.front().size == 64);
    CHECK(taken_along.kind == stream::EffectKind::copy);
    CHECK(taken_along.defined.front().address == 0x4b00000);
    CHECK(taken_along.used.front().size == 64);
    for (const stream::Effect *effect : {&result, &zeroed, &taken_along})
        CHECK(effect->address == 0x402001);
}

TEST_CASE("a stream that ends before the recording does") {
    Bytes records;
    put_site(records, 1, HSW_SITE_STORE);
    put_block(records, 1, {0x401000});
    for (unsigned i = 0; i < 10; ++i) {
        put_executed(records, 1, {0x4a00000});
        put(records, HSW_WORD(1, 0x4a00000), i);
    }
    put(records, HSW_WORD(HSW_STREAM_END, 0), 0);
    for (unsigned i = 0; i < 10; ++i)
        put(records, HSW_WORD(1, 0x4a00008), i);
    Folder folder;
    record(folder / "trace", records);
    auto store = std::make_shared<Store>(folder / "trace");
    CHECK(store->totals().events == 20);
    const StreamTotals totals = stream_totals(*store);
    CHECK(totals.steps == 10);
    CHECK(totals.instructions == 40);
    REQUIRE(totals.windows.size() == 1);
    CHECK(totals.windows.front().end == WindowEnd::until);
    StoredStream read(store);
    CHECK(read.step_of(9) == 9);
    CHECK(!read.step_of(10));
}

TEST_CASE("a stream of so many instructions") {
    Bytes records;
    put_site(records, 1, HSW_SITE_STORE);
    put_block(records, 1, {0x401000});
    for (unsigned i = 0; i < 100; ++i) {
        put_executed(records, 1, {0x4a00000});
        put(records, HSW_WORD(1, 0x4a00000), i);
        if (i == 50)
            put_block(records, 2, {0x402000});
    }
    put(records, HSW_WORD(HSW_EXIT, 0), 0);
    Folder folder;
    RecordingOptions options;
    options.most_instructions = 39; // of blocks of 4
    record(folder / "trace", records, options);
    auto store = std::make_shared<Store>(folder / "trace");
    CHECK(store->totals().events == 100);
    const StreamTotals totals = stream_totals(*store);
    CHECK(totals.instructions == 40);
    CHECK(totals.blocks == 1);
    REQUIRE(totals.windows.size() == 1);
    CHECK(totals.windows.front().end == WindowEnd::instructions);
}

TEST_CASE("a recording without an end has a stream that was cut off") {
    for (bool ends : {false, true}) {
        Bytes records;
        put_block(records, 1, {0x401000});
        put_executed(records, 1, {0x4a00000});
        if (ends)
            put(records, HSW_WORD(HSW_EXIT, 0), 0);
        Folder folder;
        record(folder / "trace", records);
        const StreamTotals totals = stream_totals(Store(folder / "trace"));
        REQUIRE(totals.windows.size() == 1);
        CHECK(totals.windows.front().end.has_value() == ends);
    }
}

TEST_CASE("what has been gathered is written when nothing comes") {
    Bytes records;
    put_block(records, 1, {0x401000});
    put_executed(records, 1, {0x4a00000});
    Folder folder;
    TraceWriter writer(folder / "trace");
    RecordingOptions options;
    Recording recording(writer, options);
    for (unsigned i = 0; i < 3; ++i) {
        recording.feed(records);
        recording.flush();
        records.clear();
        put_executed(records, 1, {0x4a00000});
    }
    recording.close();
    StoredStream read(std::make_shared<Store>(folder / "trace"));
    CHECK(read.sequences() == 3);
    CHECK(read.steps() == 3);
}

TEST_CASE("a stream that is cut off is read up to its last whole chunk") {
    Bytes records;
    put_block(records, 1, {0x401000});
    put_block(records, 2, {0x402000});
    std::mt19937_64 random(22);
    for (uint32_t i = 0; i < 3 * sequence_steps; ++i)
        put_executed(records, 1 + uint32_t(random() % 2), {random() % 100});
    Folder folder;
    record(folder / "whole", records);
    const std::string path = folder / "whole" + "/chunks";
    const uint64_t size = std::filesystem::file_size(path);
    std::filesystem::copy(path, folder / "cut" + "/chunks");
    uint32_t last = 3;
    for (uint64_t length = size; length > 0; length -= std::min(length, 1 + random() % 3000)) {
        std::filesystem::resize_file(folder / "cut" + "/chunks", length);
        std::optional<StoredStream> read;
        try {
            read.emplace(std::make_shared<Store>(folder / "cut"));
        } catch (const FormatError &) { // not one whole chunk
            CHECK(last == 0);
            break;
        }
        REQUIRE(read->sequences() <= last);
        last = read->sequences();
        stream::Sequence sequence;
        for (uint32_t i = 0; i < last; ++i) {
            read->read(i, sequence);
            REQUIRE(sequence.steps() == sequence_steps);
        }
    }
    CHECK(last == 0);
}

TEST_CASE("records that are cut off at any byte make a trace") {
    Bytes records;
    put_site(records, 1, HSW_SITE_STORE);
    put_block(records, 1, {0x401000, HSW_JUMP_PLAIN, true, 4, 3});
    for (unsigned i = 0; i < 5; ++i) {
        put_executed(records, 1, {1, 2, 3});
        put(records, HSW_WORD(1, 0x4a00000), i);
    }
    Folder folder;
    for (size_t length = 0; length <= records.size(); ++length) {
        const std::string directory = folder / std::to_string(length);
        record(directory, ByteSpan(records).first(length));
        StoredStream read(std::make_shared<Store>(directory));
        REQUIRE(read.steps() <= 5);
    }
}

TEST_CASE("a trace without a stream has none") {
    Bytes records;
    put_site(records, 1, HSW_SITE_STORE);
    put(records, HSW_WORD(1, 0x4a00000), 7);
    Folder folder;
    record(folder / "trace", records);
    StoredStream read(std::make_shared<Store>(folder / "trace"));
    CHECK(read.sequences() == 0);
    CHECK(read.blocks() == 0);
    CHECK(!read.step_of(0));
}
