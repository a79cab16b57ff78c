// The encodings of the trace: what is written is read again, and damage is noticed.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/chunk.h"
#include "format/keyframe.h"
#include "format/slots.h"
#include "format/word_index.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

using namespace heapstory;

TEST_CASE("numbers and strings survive") {
    ByteWriter out;
    const int64_t numbers[] = {0, 1, -1, 63, -64, 127, 128, 1 << 20, INT64_MAX, INT64_MIN};
    for (int64_t number : numbers) {
        out.signed_varint(number);
        out.varint(uint64_t(number));
    }
    out.string("struct node");
    ByteReader in(out.bytes);
    for (int64_t number : numbers) {
        CHECK(in.signed_varint() == number);
        CHECK(in.varint() == uint64_t(number));
    }
    CHECK(in.string() == "struct node");
    CHECK(in.done());
}

TEST_CASE("reading beyond the end is refused") {
    ByteWriter out;
    out.varint(1000);
    ByteReader count(out.bytes);
    CHECK_THROWS_AS(count.count(), FormatError);
    ByteReader text(out.bytes);
    CHECK_THROWS_AS(text.string(), FormatError);
    Bytes endless(20, 0xff);
    ByteReader number(endless);
    CHECK_THROWS_AS(number.varint(), FormatError);
}

TEST_CASE("columns are packed and unpacked, compressible or not") {
    std::mt19937_64 random(1);
    for (size_t size : {0, 1, 100, 100000}) {
        Bytes same(size, 7), noise(size);
        std::generate(noise.begin(), noise.end(), [&] { return uint8_t(random()); });
        for (const Bytes &data : {same, noise}) {
            ByteWriter out;
            pack(out, data);
            ByteReader in(out.bytes);
            CHECK(unpack(in) == data);
            CHECK(in.done());
            ByteReader skipped(out.bytes);
            skip_packed(skipped);
            CHECK(skipped.done());
        }
    }
}

TEST_CASE("checksums are those of the Castagnoli polynomial, bit by bit") {
    std::mt19937_64 random(6);
    for (size_t size : {0, 1, 9, 4096, 12287, 12288, 12289, 100003}) {
        Bytes data(size);
        for (uint8_t &byte : data)
            byte = uint8_t(random());
        uint32_t expected = ~uint32_t(0);
        for (uint8_t byte : data) {
            expected ^= byte;
            for (int bit = 0; bit < 8; ++bit)
                expected = expected >> 1 ^ (expected & 1 ? 0x82f63b78 : 0);
        }
        CHECK(crc32c(data) == ~expected);
    }
}

TEST_CASE("any flipped bit of a chunk is noticed") {
    Bytes payload = {1, 2, 3, 4, 5};
    ChunkHeader header;
    header.kind = uint16_t(ChunkKind::events);
    Bytes chunk = frame(header, payload);
    REQUIRE(chunk.size() == sizeof header + padded(payload.size()));
    auto is_whole = [&] {
        ChunkHeader read;
        std::memcpy(&read, chunk.data(), sizeof read);
        return is_valid(read) && read.length == payload.size() &&
               crc32c({chunk.data() + sizeof read, read.length}) == read.payload_crc;
    };
    REQUIRE(is_whole());
    for (size_t bit = 0; bit < 8 * (sizeof header + payload.size()); ++bit) {
        chunk[bit / 8] ^= uint8_t(1 << bit % 8);
        CHECK_FALSE(is_whole());
        chunk[bit / 8] ^= uint8_t(1 << bit % 8);
    }
}

TEST_CASE("slots survive, sorted by word and time") {
    std::mt19937_64 random(2);
    std::vector<Slot> slots;
    for (unsigned i = 0; i < 50000; ++i) {
        Slot slot;
        slot.word = 0x940000 + random() % 3000;
        slot.event = i;
        slot.site = uint32_t(random() % 100);
        unsigned size = 1u << random() % 4, first = unsigned(random() % (9 - size));
        slot.shape = make_shape(first, size);
        slot.value = random() >> (64 - 8 * size);
        slots.push_back(slot);
    }
    std::stable_sort(slots.begin(), slots.end(),
                     [](const Slot &a, const Slot &b) { return a.word < b.word; });
    SlotEncoder encoder(1000);
    encoder.encode(slots);
    REQUIRE(encoder.segments.size() > 10);
    std::vector<Slot> read, part;
    for (const SlotSegment &segment : encoder.segments) {
        part.clear();
        decode_segment(segment, encoder.out.bytes, part);
        CHECK(part.size() == segment.slots);
        std::vector<uint64_t> words, expected;
        segment_words(segment, encoder.out.bytes, words);
        for (const Slot &slot : part)
            if (expected.empty() || expected.back() != slot.word)
                expected.push_back(slot.word);
        CHECK(words == expected);
        read.insert(read.end(), part.begin(), part.end());
    }
    REQUIRE(read.size() == slots.size());
    bool same = std::equal(slots.begin(), slots.end(), read.begin(), [](auto &a, auto &b) {
        return a.word == b.word && a.event == b.event && a.site == b.site && a.shape == b.shape &&
               a.value == b.value;
    });
    CHECK(same);
}

TEST_CASE("keyframes survive, in parts that follow each other") {
    std::mt19937_64 random(5);
    constexpr uint64_t next_event = uint64_t(1) << 39;
    std::vector<KeyWord> words;
    uint64_t at = 0x940000;
    for (unsigned i = 0; i < 700000; ++i) {
        KeyWord word;
        word.word = at += random() % 4 ? 1 : 1 + (random() >> (36 + random() % 27));
        word.event = random() % 3 ? next_event - random() % 1000 : random() % next_event;
        word.site = random() % 5 ? 7 : uint32_t(random() % 0xffffff);
        word.value = random() >> random() % 64;
        word.mask = random() % 8 ? 0xff : uint8_t(1 + random() % 255);
        word.mixed = random() % 9 == 0;
        words.push_back(word);
    }
    KeyframeEncoder encoder(next_event);
    for (const KeyWord &word : words)
        encoder.add(word);
    std::vector<KeyframePart> parts = encoder.finish();
    REQUIRE(parts.size() > 1);
    std::vector<KeyWord> read, some;
    for (const KeyframePart &part : parts) {
        KeyframeView view(part.payload, next_event);
        CHECK(view.segments().front().first_word == part.first_word);
        for (const KeySegment &segment : view.segments()) {
            view.decode(segment, some);
            CHECK(some.front().word == segment.first_word);
            CHECK(some.back().word == segment.last_word);
            read.insert(read.end(), some.begin(), some.end());
        }
    }
    REQUIRE(read.size() == words.size());
    bool same = std::equal(words.begin(), words.end(), read.begin(), [](auto &a, auto &b) {
        return a.word == b.word && a.event == b.event && a.site == b.site && a.value == b.value &&
               a.mask == b.mask && a.mixed == b.mixed;
    });
    CHECK(same);
}

TEST_CASE("a slot changes only its own bytes") {
    Slot slot;
    slot.shape = make_shape(2, 2);
    slot.value = 0xabcd;
    CHECK(slot.apply(0x1111111111111111) == 0x11111111abcd1111);
    CHECK(shape_mask(slot.shape) == 0b1100);
    slot.shape = whole_word;
    CHECK(slot.apply(0x1111111111111111) == 0xabcd);
}

TEST_CASE("the word index names exactly the chunks that hold a word") {
    std::mt19937_64 random(3);
    constexpr unsigned chunks = 150;
    std::map<std::pair<uint64_t, unsigned>, bool> truth;  // word, chunk
    std::map<std::pair<uint64_t, unsigned>, bool> ranged; // page, chunk
    WordIndexBuilder builder;
    for (unsigned chunk = 0; chunk < chunks; ++chunk) {
        SlotEncoder encoder(100);
        std::set<uint64_t> words;
        for (unsigned i = 0; i < random() % 300; ++i)
            words.insert(0x940000 + random() % 1500);
        std::vector<Slot> slots(words.size());
        uint32_t event = 0;
        for (uint64_t word : words) {
            slots[event].word = word;
            slots[event].event = event;
            ++event;
            truth[{word, chunk}] = true;
        }
        encoder.encode(slots);
        EventLists lists;
        if (chunk % 10 == 3) {
            Range range;
            range.address = (0x940000 + 512) * 8;
            range.length = 512 * 8;
            range.is_fill = true;
            lists.ranges.push_back(range);
            ranged[{0x940000 / 512 + 1, chunk}] = true;
        }
        Bytes payload = encode_events(lists, encoder);
        builder.add(EventsView(payload));
    }
    WordIndex index(builder.encode());
    REQUIRE(index.groups() == 3);
    bool same = true;
    for (uint64_t word = 0x940000; word < 0x940000 + 1500; ++word)
        for (unsigned chunk = 0; chunk < chunks; ++chunk) {
            uint64_t page = word / 512;
            unsigned in_page = unsigned(word % 512);
            uint64_t bits = index.chunks(chunk / 64, page, in_page, in_page);
            bool expected = truth.count({word, chunk}) || ranged.count({page, chunk});
            same = same && bool(bits >> chunk % 64 & 1) == expected;
        }
    CHECK(same);
}
