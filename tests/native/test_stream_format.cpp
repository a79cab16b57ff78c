// Chunks of the instruction stream: what is written is read again, and damage is noticed.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/stream/blocks.h"
#include "format/stream/sequences.h"
#include "random_stream.h"

#include "catch.h"
#include <random>

using namespace heapstory;

namespace {

bool same(const stream::Access &one, const stream::Access &other) {
    return one.instruction == other.instruction && one.kind == other.kind &&
           one.size == other.size && one.word == other.word &&
           one.displacement == other.displacement && one.guard == other.guard &&
           one.value == other.value && one.constant == other.constant;
}

bool same(const stream::Block &one, const stream::Block &other) {
    auto same_accesses = [](const auto &a, const auto &b) { return same(a, b); };
    auto same_exits = [](const stream::Exit &a, const stream::Exit &b) {
        return a.instruction == b.instruction && a.accesses == b.accesses;
    };
    return one.address == other.address && one.code == other.code && one.jump == other.jump &&
           one.own == other.own && one.words == other.words && one.stack_word == other.stack_word &&
           one.stub == other.stub && one.stub_uses == other.stub_uses &&
           std::ranges::equal(one.accesses, other.accesses, same_accesses) &&
           std::ranges::equal(one.exits, other.exits, same_exits);
}

bool same(const std::vector<stream::Range> &one, const std::vector<stream::Range> &other) {
    return std::ranges::equal(one, other, [](const stream::Range &a, const stream::Range &b) {
        return a.address == b.address && a.size == b.size;
    });
}

bool same(const stream::Effect &one, const stream::Effect &other) {
    return one.kind == other.kind && one.address == other.address &&
           same(one.defined, other.defined) && same(one.used, other.used) &&
           one.registers_defined == other.registers_defined &&
           one.registers_used == other.registers_used &&
           one.registers_addressed == other.registers_addressed;
}

bool same(const stream::Sequence &one, const stream::Sequence &other) {
    auto same_effects = [](const auto &a, const auto &b) { return same(a, b); };
    auto same_switches = [](const stream::Switch &a, const stream::Switch &b) {
        return a.step == b.step && a.thread == b.thread;
    };
    auto same_faults = [](const stream::Fault &a, const stream::Fault &b) {
        return a.step == b.step && a.instructions == b.instructions;
    };
    return one.first_step == other.first_step && one.block == other.block &&
           one.exit == other.exit && one.operand == other.operand && one.words == other.words &&
           std::ranges::equal(one.effects, other.effects, same_effects) &&
           std::ranges::equal(one.switches, other.switches, same_switches) &&
           std::ranges::equal(one.faults, other.faults, same_faults);
}

} // namespace

TEST_CASE("blocks of code are read as they were written") {
    std::mt19937_64 random(3);
    const std::vector<stream::Block> blocks = random_blocks(random, 500);
    std::vector<stream::Block> read;
    // In several chunks, as new code is met.
    for (size_t at = 0; at < blocks.size();) {
        size_t count = std::min<size_t>(random() % 200, blocks.size() - at);
        ChunkHeader header;
        Bytes payload =
            encode_blocks(std::span(blocks).subspan(at, count), uint32_t(at) + 1, header);
        decode_blocks(payload, header, read);
        at += count;
    }
    CHECK(std::ranges::equal(blocks, read, [](auto &a, auto &b) { return same(a, b); }));
}

TEST_CASE("blocks of code that are missing are noticed") {
    std::mt19937_64 random(4);
    const std::vector<stream::Block> blocks = random_blocks(random, 5);
    ChunkHeader header;
    Bytes payload = encode_blocks(blocks, 7, header);
    std::vector<stream::Block> read;
    CHECK_THROWS_AS(decode_blocks(payload, header, read), FormatError);
}

TEST_CASE("sequences are read as they were written") {
    std::mt19937_64 random(5);
    stream::Sequence read; // what an earlier one left in it must not matter
    for (unsigned round = 0; round < 200; ++round) {
        const std::vector<stream::Block> blocks = random_blocks(random, 1 + random() % 300);
        const RandomStream made = random_stream(random, blocks, random() % 5000);
        ChunkHeader header;
        header.first_event = made.first_event;
        Bytes payload = encode_sequence(made.sequence, blocks, made.events, header);
        decode_sequence(payload, header, blocks, read);
        REQUIRE(same(made.sequence, read));
        Bytes head(payload.begin(), payload.begin() + header.head_length);
        REQUIRE(decode_event_steps(head, header) == made.events);
    }
}

TEST_CASE("a loop takes next to nothing") {
    std::vector<stream::Block> blocks(2);
    for (stream::Block &block : blocks) {
        block.words = 2;
        block.stack_word = 0;
    }
    stream::Sequence loop;
    for (uint32_t i = 0; i < sequence_steps; ++i) {
        loop.block.push_back(1 + i % 2);
        loop.exit.push_back(stream::ran_to_end);
        loop.operand.push_back(2 * i);
        loop.words.push_back(0x1ffeffff00 - 8 * (i % 2));
        loop.words.push_back(0x4a00000 + 16 * uint64_t(i));
    }
    loop.switches.push_back({0, 1});
    ChunkHeader header;
    CHECK(encode_sequence(loop, blocks, {}, header).size() < 200);
}

TEST_CASE("damage gives an error or another sequence, never anything else") {
    std::mt19937_64 random(6);
    stream::Sequence read;
    unsigned refused = 0;
    for (unsigned round = 0; round < 2000; ++round) {
        const std::vector<stream::Block> blocks = random_blocks(random, 1 + random() % 20);
        const RandomStream made = random_stream(random, blocks, 1 + random() % 200);
        ChunkHeader header;
        Bytes payload = encode_sequence(made.sequence, blocks, made.events, header);
        switch (random() % 3) {
        case 0:
            payload.resize(random() % payload.size());
            break;
        case 1:
            payload[random() % payload.size()] ^= uint8_t(1 + random() % 255);
            break;
        default:
            header.slots = uint32_t(random() % 100000);
        }
        try {
            header.head_length = uint32_t(std::min<size_t>(header.head_length, payload.size()));
            decode_event_steps(ByteSpan(payload).first(header.head_length), header);
            decode_sequence(payload, header, blocks, read);
            for (uint32_t at = 0; at < read.steps(); ++at) {
                uint32_t id = read.block[at];
                REQUIRE(id <= blocks.size());
                REQUIRE((id ? read.operand[at] + blocks[id - 1].words <= read.words.size()
                            : read.operand[at] < read.effects.size()));
            }
        } catch (const FormatError &) {
            ++refused;
        }
        std::vector<stream::Block> read_blocks;
        ChunkHeader blocks_header;
        Bytes of_blocks = encode_blocks(blocks, 1, blocks_header);
        of_blocks[random() % of_blocks.size()] ^= uint8_t(1 + random() % 255);
        try {
            decode_blocks(of_blocks, blocks_header, read_blocks);
        } catch (const FormatError &) {
            ++refused;
        }
    }
    CHECK(refused > 1000);
}
