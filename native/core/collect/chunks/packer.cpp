// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/chunks/packer.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace heapstory {

void ChunkPacker::sort_pages(const GatheredChunk &chunk) {
    std::vector<uint32_t> indices(chunk.pages.size());
    std::iota(indices.begin(), indices.end(), 0);
    std::sort(indices.begin(), indices.end(), [&](uint32_t a, uint32_t b) {
        return chunk.pages[a]->number < chunk.pages[b]->number;
    });
    rank_.resize(indices.size());
    sorted_pages_.clear();
    for (uint32_t index : indices) {
        ShadowPage *page = chunk.pages[index];
        rank_[index] = uint32_t(sorted_pages_.size());
        sorted_pages_.push_back({page, page->number * page_words, words_.page(page->number)});
    }
}

// By page, then by time; and notes what each of their slots does.
void ChunkPacker::sort_runs(const GatheredChunk &chunk) {
    const std::vector<GatheredRun> &runs = chunk.runs.runs;
    std::vector<uint32_t> order(runs.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return rank_[runs[a].page] < rank_[runs[b].page];
    });
    const uint64_t bit = words_.bit(), first_event = chunk.header.first_event;
    sorted_runs_.clear();
    for (uint32_t index : order) {
        const GatheredRun &from = runs[index];
        const SortedPage &page = sorted_pages_[rank_[from.page]];
        SlotRun &run = sorted_runs_.emplace_back();
        run.address = page.first_word * 8 + from.first_byte;
        run.stride = from.stride;
        run.count = from.count;
        run.event = from.event;
        run.site = from.site;
        run.size = from.size;
        run.values = chunk.runs.values.data() + from.values;
        for (uint32_t i = 0; i < run.count; ++i) {
            uint64_t address = run.address_of(i);
            unsigned word = address / 8 % page_words;
            page.chunks[word] |= bit;
            page.page->note_write(word, first_event + run.event + i, run.site,
                                  shape_mask(make_shape(address % 8, run.size)));
        }
    }
}

namespace {

// The slots of a chunk by page, word and time.
template <class Element, unsigned index_bits, class Page> struct SortedSlots {
    const Element *order;
    size_t count;
    const GatheredSlot *slots;
    const Page *pages;

    static constexpr Element index_mask = (Element(1) << index_bits) - 1;

    WrittenSlot operator[](size_t i) const {
        constexpr size_t ahead = 16; // they are gathered from all over the chunk
        if (i + ahead < count)
            __builtin_prefetch(&slots[order[i + ahead] & index_mask]);
        const GatheredSlot &gathered = slots[order[i] & index_mask];
        return {pages[order[i] >> index_bits].first_word + gathered.word(), gathered.value,
                gathered.event(), gathered.writer};
    }
};

template <class Counts> void starts_from_counts(Counts &counts) {
    uint32_t sum = 0;
    for (uint32_t &count : counts)
        sum += std::exchange(count, sum);
}

} // namespace

// Radix sort with two digits: by word, then by page, each time keeping the order.
template <class Element, unsigned index_bits>
void ChunkPacker::sort_and_encode(const GatheredChunk &chunk) {
    static thread_local std::vector<Element> by_word, order;
    const size_t count = chunk.slots.size();
    const uint32_t *keys = chunk.slots.keys();
    const uint32_t *rank = rank_.data();
    std::array<uint32_t, page_words> word_starts{};
    std::vector<uint32_t> page_starts(chunk.pages.size());
    for (size_t i = 0; i < count; ++i) {
        ++word_starts[keys[i] % page_words];
        ++page_starts[rank[keys[i] / page_words]];
    }
    starts_from_counts(word_starts);
    starts_from_counts(page_starts);
    by_word.resize(count);
    order.resize(count);
    for (size_t i = 0; i < count; ++i)
        by_word[word_starts[keys[i] % page_words]++] =
            Element(rank[keys[i] / page_words]) << index_bits | Element(i);
    for (Element element : by_word)
        order[page_starts[element >> index_bits]++] = element;

    const SortedSlots<Element, index_bits, SortedPage> slots{
        order.data(), count, chunk.slots.slots(), sorted_pages_.data()};
    // Noted later, all at once: every word is far from the one before, and waits for memory then
    // overlap.
    lasts_.clear();
    auto note_last = [this](const WrittenSlot &last) { lasts_.push_back(last); };
    encoder_->encode(count, slots, sorted_runs_.size(), sorted_runs_, note_last);
}

void ChunkPacker::note_lasts(const GatheredChunk &chunk) {
    const uint64_t bit = words_.bit(), first_event = chunk.header.first_event;
    const SortedPage *at = sorted_pages_.data();
    for (const WrittenSlot &last : lasts_) {
        while (last.word - at->first_word >= page_words)
            ++at;
        unsigned word = unsigned(last.word - at->first_word);
        at->chunks[word] |= bit;
        at->page->note_write(word, first_event + last.event, writer_site(last.writer),
                             shape_mask(writer_shape(last.writer)));
    }
}

void ChunkPacker::note_ranges(const GatheredChunk &chunk) {
    uint64_t first_event = chunk.header.first_event;
    for (const Birth &birth : chunk.lists.births)
        if (birth.flags & Birth::zeroed)
            shadow_.note_writes(birth.address, birth.size, first_event + birth.event, 0, 0);
    for (const Range &range : chunk.lists.ranges) {
        shadow_.note_writes(range.address, range.length, first_event + range.event, range.site,
                            0xff);
        words_.add_range(range);
    }
}

void ChunkPacker::write_words(const Bytes &group) {
    writing_.add([&writer = writer_, group] { writer.append(ChunkKind::words, group); });
}

void ChunkPacker::write(const std::shared_ptr<const GatheredChunk> &gathered) {
    const GatheredChunk &chunk = *gathered;
    note_ranges(chunk);
    sort_pages(chunk);
    sort_runs(chunk);
    encoder_ = encoders_->take();
    if (!encoder_)
        encoder_ = std::make_shared<SlotEncoder>();
    if (chunk.slots.size() <= size_t(1) << 17 && chunk.pages.size() <= size_t(1) << 15)
        sort_and_encode<uint32_t, 17>(chunk);
    else
        sort_and_encode<uint64_t, 32>(chunk);
    note_lasts(chunk);
    writing_.add(
        [&writer = writer_, encoders = encoders_, gathered, encoder = std::move(encoder_)] {
            encoder->pack_columns();
            ChunkHeader header = gathered->header;
            Bytes payload = encode_events(gathered->lists, *encoder, header.head_length);
            writer.append(ChunkKind::events, payload, header);
            encoders->give(encoder);
        });
    words_.end_chunk();
}

} // namespace heapstory
