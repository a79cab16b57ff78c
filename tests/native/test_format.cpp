// The encodings of the trace: what is written is read again, and damage is noticed.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/container/chunk.h"
#include "format/events/slots.h"
#include "format/index/keyframe.h"
#include "format/index/word_index.h"

#include "catch.h"
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

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

namespace {

bool same_slots(const std::vector<Slot> &a, const std::vector<Slot> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto &x, auto &y) {
        return x.word == y.word && x.event == y.event && x.site == y.site && x.shape == y.shape &&
               x.value == y.value;
    });
}

void sort_slots(std::vector<Slot> &slots) {
    std::sort(slots.begin(), slots.end(), [](const Slot &a, const Slot &b) {
        return std::pair(a.word, a.event) < std::pair(b.word, b.event);
    });
}

// Everything in the segments, which lie one behind the other and know their words.
std::vector<Slot> decode_all(const SlotEncoder &encoder) {
    std::vector<Slot> read, part;
    uint64_t next_word = 0;
    for (const SlotSegment &segment : encoder.segments) {
        decode_segment(segment, encoder.out.bytes, part);
        CHECK(part.size() == segment.slots);
        CHECK(segment.first_word >= next_word);
        next_word = segment.last_word + 1;
        std::vector<uint64_t> words, expected;
        segment_words(segment, encoder.out.bytes, words);
        for (const Slot &slot : part)
            if (expected.empty() || expected.back() != slot.word)
                expected.push_back(slot.word);
        CHECK(words == expected);
        CHECK(expected.front() >= segment.first_word);
        CHECK(expected.back() <= segment.last_word);
        const uint64_t from = expected[expected.size() / 3], to = expected[expected.size() / 2];
        std::vector<Slot> some, wanted;
        decode_words(segment, encoder.out.bytes, from, to, some);
        for (const Slot &slot : part)
            if (slot.word >= from && slot.word <= to)
                wanted.push_back(slot);
        CHECK(same_slots(some, wanted));
        read.insert(read.end(), part.begin(), part.end());
    }
    return read;
}

Slot random_slot(std::mt19937_64 &random, uint32_t event) {
    Slot slot;
    slot.word = 0x940000 + random() % 3000;
    slot.event = event;
    slot.site = uint32_t(random() % 100);
    unsigned size = 1u << random() % 4, first = unsigned(random() % (9 - size));
    slot.shape = make_shape(first, size);
    slot.value = random() >> (64 - 8 * size);
    return slot;
}

} // namespace

TEST_CASE("slots survive, sorted by word and time") {
    std::mt19937_64 random(2);
    std::vector<Slot> slots;
    for (uint32_t event = 0; event < 50000; ++event)
        slots.push_back(random_slot(random, event));
    sort_slots(slots);
    SlotEncoder encoder(1000);
    encoder.encode(slots);
    REQUIRE(encoder.segments.size() > 10);
    CHECK(same_slots(decode_all(encoder), slots));
}

TEST_CASE("more writers than a segment has numbers for survive") {
    std::mt19937_64 random(7);
    for (uint32_t sites : {1u, 254u, 255u, 256u, 5000u}) {
        std::vector<Slot> slots;
        for (uint32_t event = 0; event < 20000; ++event) {
            Slot slot = random_slot(random, event);
            slot.site = uint32_t(random() % sites);
            slots.push_back(slot);
        }
        sort_slots(slots);
        SlotEncoder encoder(8192);
        encoder.encode(slots);
        CHECK(same_slots(decode_all(encoder), slots));
    }
}

TEST_CASE("numbers of writers that cannot be are refused") {
    const Bytes fresh = {1, 0, 0, 8};
    Bytes writers;
    expand_writers(Bytes{0, 0}, fresh, writers, 0);
    CHECK(writers == Bytes{1, 0, 0, 8, 1, 0, 0, 8});
    CHECK_THROWS_AS(expand_writers(Bytes{1}, fresh, writers, 0), FormatError);
    CHECK_THROWS_AS(expand_writers(Bytes{0, 1}, fresh, writers, 0), FormatError);
    CHECK_THROWS_AS(expand_writers(Bytes{255}, {}, writers, 0), FormatError);
}

TEST_CASE("segments from before writers had numbers are read") {
    std::mt19937_64 random(8);
    std::vector<Slot> slots;
    for (uint32_t event = 0; event < 3000; ++event)
        slots.push_back(random_slot(random, event));
    sort_slots(slots);
    SlotEncoder encoder(8192);
    encoder.encode(slots);
    REQUIRE(encoder.segments.size() == 1);
    ByteReader in(encoder.out.bytes);
    ByteWriter old;
    for (unsigned column = 0; column < 3; ++column) // words, control, events
        pack(old, unpack(in));
    Bytes writers;
    const Bytes numbers = unpack(in), fresh = unpack(in);
    expand_writers(numbers, fresh, writers, 0);
    pack(old, writers);
    old.raw(in.raw(in.left()));
    SlotSegment segment = encoder.segments[0];
    segment.numbered = 0;
    std::vector<Slot> read;
    decode_segment(segment, old.bytes, read);
    CHECK(same_slots(read, slots));
    std::vector<uint64_t> words, expected;
    segment_words(segment, old.bytes, words);
    for (const Slot &slot : slots)
        if (expected.empty() || expected.back() != slot.word)
            expected.push_back(slot.word);
    CHECK(words == expected);
}

TEST_CASE("columns too short for their control bytes are refused") {
    std::mt19937_64 random(9);
    std::vector<Slot> slots;
    for (uint32_t event = 0; event < 3000; ++event)
        slots.push_back(random_slot(random, event));
    sort_slots(slots);
    SlotEncoder encoder(8192);
    encoder.encode(slots);
    enum { words, control, events, numbers, fresh, values, wide, columns };
    for (unsigned shortened = words; shortened < columns; ++shortened) {
        ByteReader in(encoder.out.bytes);
        ByteWriter damaged;
        for (unsigned column = words; column < columns; ++column) {
            Bytes bytes = unpack(in);
            if (column == shortened)
                bytes.resize(bytes.size() / 2);
            pack(damaged, bytes);
        }
        damaged.raw(in.raw(in.left()));
        std::vector<Slot> read;
        INFO("column " << shortened);
        CHECK_THROWS_AS(decode_segment(encoder.segments[0], damaged.bytes, read), FormatError);
    }
}

TEST_CASE("runs survive among other slots") {
    std::mt19937_64 random(5);
    for (unsigned round = 0; round < 20; ++round) {
        std::vector<Slot> alone, all;
        std::vector<SlotRun> runs;
        std::vector<std::vector<uint64_t>> values;
        const unsigned alone_between = unsigned(random() % 30);
        for (uint32_t event = 0; event < 20000;) {
            for (unsigned i = 0; i < alone_between; ++i) {
                alone.push_back(random_slot(random, event++));
                all.push_back(alone.back());
            }
            SlotRun run;
            run.size = uint8_t(1u << random() % 4);
            run.stride = int32_t(run.size) * (int32_t(random() % 9) - 4);
            run.address = 0x940000 * 8 + random() % 24000 / run.size * run.size;
            run.site = uint32_t(random() % 100);
            run.event = event;
            uint64_t value = random(), step = random() >> (random() % 64);
            std::vector<uint64_t> &stored = values.emplace_back();
            const unsigned kind = unsigned(random() % 3), longest = 1 + unsigned(random() % 300);
            for (uint32_t i = 0; i < longest; ++i) {
                if (run.address_of(i) / page_bytes != run.page())
                    break;
                value = kind == 0 ? value + step : kind == 1 ? value ^ (random() & 0xff) : random();
                stored.push_back(value >> (64 - 8 * run.size));
            }
            run.count = uint32_t(stored.size());
            run.values = stored.data();
            runs.push_back(run);
            for (uint32_t i = 0; i < run.count; ++i) {
                uint64_t address = run.address_of(i);
                all.push_back(
                    {address / 8, stored[i], event++, run.site, make_shape(address % 8, run.size)});
            }
        }
        sort_slots(alone);
        sort_slots(all);
        std::stable_sort(runs.begin(), runs.end(),
                         [](const SlotRun &a, const SlotRun &b) { return a.page() < b.page(); });
        SlotEncoder encoder(1000);
        encoder.encode(alone, runs);
        CHECK(same_slots(decode_all(encoder), all));
    }
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
    std::vector<Bytes> groups;
    WordIndexBuilder builder([&](const Bytes &group) { groups.push_back(group); });
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
        uint32_t head_length = 0;
        Bytes payload = encode_events(lists, encoder, head_length);
        builder.add(EventsView(payload));
    }
    builder.finish();
    WordIndex index(groups);
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
