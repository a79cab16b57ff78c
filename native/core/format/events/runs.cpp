// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/events/runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace heapstory {

namespace {

// The bytes that are kept of numbers which differ in the bits of `difference`: 0, 1, 2, 4 or 8.
unsigned kept_bytes(uint64_t difference) {
    return difference ? std::bit_ceil((71 - unsigned(std::countl_zero(difference))) / 8) : 0;
}

// The bits of a number that are not kept.
uint64_t shared_part(uint64_t number, unsigned kept) {
    return kept == 8 ? 0 : number >> (8 * kept);
}

uint64_t step(const uint64_t *values, uint32_t i) {
    return zigzag(int64_t(values[i] - values[i - 1]));
}

// The low sizeof(T) bytes of what `number` gives for first .. count - 1.
template <class T, class Number>
void put_each(Bytes &out, uint32_t first, uint32_t count, Number number) {
    size_t at = out.size();
    out.resize(at + (count - first) * sizeof(T));
    for (uint32_t i = first; i < count; ++i, at += sizeof(T)) {
        T kept = T(number(i));
        std::memcpy(out.data() + at, &kept, sizeof kept);
    }
}

template <class Number>
void put_all(Bytes &out, unsigned kept, uint32_t first, uint32_t count, Number number) {
    switch (kept) {
    case 1:
        return put_each<uint8_t>(out, first, count, number);
    case 2:
        return put_each<uint16_t>(out, first, count, number);
    case 4:
        return put_each<uint32_t>(out, first, count, number);
    case 8:
        return put_each<uint64_t>(out, first, count, number);
    default:
        return;
    }
}

// A run as its head tells it; the values are still packed.
struct RunHead {
    SlotRun run;
    unsigned kept = 0;
    bool differences = false;
    uint64_t first_value = 0, shared = 0;
};

RunHead read_head(ByteReader &in, const SlotRun &last, uint64_t most) {
    RunHead head;
    head.run.address = last.address + uint64_t(in.signed_varint());
    head.run.stride = int32_t(in.signed_varint());
    uint64_t count = in.varint();
    head.run.event = last.event + uint32_t(in.signed_varint());
    head.run.site = last.site + uint32_t(in.signed_varint());
    uint64_t bits = in.varint();
    head.run.size = bits & 15;
    head.kept = bits >> 4 & 15;
    head.differences = bits >> 8 & 1;
    head.first_value = in.varint();
    head.shared = in.varint();
    bool fits =
        head.run.size == 1 || head.run.size == 2 || head.run.size == 4 || head.run.size == 8;
    if (!fits || head.run.address % head.run.size || head.run.stride % head.run.size || !count ||
        count > most)
        throw FormatError("damaged run");
    head.run.count = uint32_t(count);
    if (head.run.address_of(head.run.count - 1) / page_bytes != head.run.page())
        throw FormatError("damaged run");
    return head;
}

struct NothingKept {};

template <class Kept> uint64_t kept_at(const uint8_t *values, size_t i) {
    if constexpr (std::is_same_v<Kept, NothingKept>)
        return 0;
    else {
        Kept kept;
        std::memcpy(&kept, values + i * sizeof kept, sizeof kept);
        return kept;
    }
}

template <class Kept> void expand(const RunHead &head, const uint8_t *values, Slot *slots) {
    const SlotRun &run = head.run;
    const uint64_t shared = head.kept == 8 ? 0 : head.shared << (8 * head.kept);
    uint64_t value = head.first_value, address = run.address;
    for (uint32_t i = 0; i < run.count; ++i, address += uint64_t(int64_t(run.stride))) {
        if (!head.differences)
            value = kept_at<Kept>(values, i) | shared;
        else if (i)
            value += uint64_t(unzigzag(kept_at<Kept>(values, i - 1) | shared));
        slots[i] = {address / 8, value, run.event + i, run.site, make_shape(address % 8, run.size)};
    }
}

void expand(const RunHead &head, ByteReader &in, std::vector<Slot> &slots) {
    const size_t base = slots.size();
    slots.resize(base + head.run.count);
    const uint8_t *values = in.raw(size_t(head.kept) * (head.run.count - head.differences)).data();
    switch (head.kept) {
    case 0:
        return expand<NothingKept>(head, values, slots.data() + base);
    case 1:
        return expand<uint8_t>(head, values, slots.data() + base);
    case 2:
        return expand<uint16_t>(head, values, slots.data() + base);
    case 4:
        return expand<uint32_t>(head, values, slots.data() + base);
    case 8:
        return expand<uint64_t>(head, values, slots.data() + base);
    default:
        throw FormatError("damaged run");
    }
}

// Slots of one page by word, then by event. For every word they come in the order of time, first
// the `alone` ones, then those of runs.
void sort_page(std::span<const Slot> slots, size_t alone, std::vector<Slot> &out) {
    std::array<uint32_t, page_words + 1> ends{};
    for (const Slot &slot : slots)
        ++ends[slot.word % page_words + 1];
    for (size_t word = 0; word < page_words; ++word)
        ends[word + 1] += ends[word];
    const size_t base = out.size();
    out.resize(base + slots.size());
    for (const Slot &slot : slots)
        out[base + ends[slot.word % page_words]++] = slot;
    if (!alone)
        return;
    auto earlier = [](const Slot &a, const Slot &b) { return a.event < b.event; };
    auto first = out.begin() + std::ptrdiff_t(base);
    for (size_t word = 0, begin = 0; word < page_words; begin = ends[word++]) {
        auto from = first + std::ptrdiff_t(begin), to = first + std::ptrdiff_t(ends[word]);
        if (auto second = std::is_sorted_until(from, to, earlier); second != to)
            std::inplace_merge(from, second, to, earlier);
    }
}

} // namespace

void RunEncoder::add(const SlotRun &run) {
    const uint64_t *values = run.values;
    uint64_t differ = 0, steps_differ = 0;
    const uint64_t first_step = run.count > 1 ? step(values, 1) : 0;
    for (uint32_t i = 1; i < run.count; ++i) {
        differ |= values[i] ^ values[0];
        steps_differ |= step(values, i) ^ first_step;
    }
    unsigned kept = kept_bytes(differ), kept_of_steps = kept_bytes(steps_differ);
    bool differences = kept_of_steps < kept;
    if (differences)
        kept = kept_of_steps;

    heads_.signed_varint(int64_t(run.address - last_.address));
    heads_.signed_varint(run.stride);
    heads_.varint(run.count);
    heads_.signed_varint(int32_t(run.event - last_.event));
    heads_.signed_varint(int32_t(run.site - last_.site));
    heads_.varint(run.size | kept << 4 | unsigned(differences) << 8);
    heads_.varint(differences ? values[0] : 0);
    heads_.varint(shared_part(differences ? first_step : values[0], kept));
    last_ = run;
    if (differences)
        put_all(values_, kept, 1, run.count, [&](uint32_t i) { return step(values, i); });
    else
        put_all(values_, kept, 0, run.count, [&](uint32_t i) { return values[i]; });
}

void RunEncoder::clear() {
    heads_.bytes.clear();
    values_.clear();
    segments_.clear();
    last_ = {};
}

void RunEncoder::end_segment() {
    segments_.push_back({heads_.bytes.size(), values_.size()});
    last_ = {};
}

void RunEncoder::pack_segment(size_t segment, ByteWriter &out) {
    const Ends from = segment ? segments_[segment - 1] : Ends(), to = segments_[segment];
    pack(out, ByteSpan(heads_.bytes).subspan(from.heads, to.heads - from.heads));
    values_packer_.pack(out, ByteSpan(values_).subspan(from.values, to.values - from.values));
}

void decode_runs(ByteReader &in, uint32_t most, std::vector<Slot> &slots) {
    thread_local Bytes heads, values;
    thread_local std::vector<Slot> alone, page;
    unpack_into(in, heads, 0);
    unpack_into(in, values, 0);
    if (heads.empty())
        return;
    alone.swap(slots);
    slots.clear();
    size_t next = 0; // of those alone
    auto take_alone = [&](uint64_t below, std::vector<Slot> &to) {
        size_t from = next;
        while (next < alone.size() && alone[next].word < below)
            ++next;
        to.insert(to.end(), alone.begin() + std::ptrdiff_t(from),
                  alone.begin() + std::ptrdiff_t(next));
    };
    ByteReader heads_in(heads), values_in(values);
    RunHead head = read_head(heads_in, {}, most);
    for (bool more = true; more;) {
        const uint64_t number = head.run.page();
        take_alone(number * page_words, slots);
        page.clear();
        take_alone((number + 1) * page_words, page);
        const size_t alone_here = page.size();
        do {
            if (slots.size() + page.size() + head.run.count > most)
                throw FormatError("damaged run");
            expand(head, values_in, page);
            more = !heads_in.done();
            if (more)
                head = read_head(heads_in, head.run, most);
        } while (more && head.run.page() == number);
        if (more && head.run.page() < number)
            throw FormatError("damaged run");
        sort_page(page, alone_here, slots);
    }
    slots.insert(slots.end(), alone.begin() + std::ptrdiff_t(next), alone.end());
}

void run_words(ByteReader &in, uint32_t most, std::vector<uint64_t> &words) {
    thread_local Bytes heads;
    unpack_into(in, heads, 0);
    ByteReader heads_in(heads);
    for (SlotRun last; !heads_in.done();) {
        last = read_head(heads_in, last, most).run;
        for (uint32_t i = 0; i < last.count; ++i)
            words.push_back(last.address_of(i) / 8);
    }
}

} // namespace heapstory
