// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/word_index.h"

#include <algorithm>
#include <bit>

namespace heapstory {

namespace {

constexpr unsigned chunk_bits = 6;
constexpr uint64_t page_words = 512, page_bytes = 4096;

// Sorts by all bits that differ, eleven at a time.
void radix_sort(std::vector<uint64_t> &items) {
    constexpr unsigned digit = 11, size = 1u << digit;
    uint64_t any = 0, all = ~uint64_t(0);
    for (uint64_t item : items) {
        any |= item;
        all &= item;
    }
    std::vector<uint64_t> spare(items.size());
    for (unsigned shift = 0; shift < 64; shift += digit) {
        if (!((any ^ all) >> shift & (size - 1)))
            continue;
        std::vector<uint32_t> counts(size);
        for (uint64_t item : items)
            ++counts[item >> shift & (size - 1)];
        uint32_t sum = 0;
        for (uint32_t &count : counts) {
            uint32_t here = count;
            count = sum;
            sum += here;
        }
        for (uint64_t item : items)
            spare[counts[item >> shift & (size - 1)]++] = item;
        items.swap(spare);
    }
}

} // namespace

void WordIndexBuilder::add(const EventsView &view) {
    uint64_t chunk = chunks_ % WordIndex::group_chunks;
    std::vector<uint64_t> words;
    for (const SlotSegment &segment : view.segments()) {
        segment_words(segment, view.slots(), words);
        for (uint64_t word : words)
            words_.push_back(word << chunk_bits | chunk);
    }
    for (const Range &range : view.ranges())
        for (uint64_t page = range.address / page_bytes;
             page <= (range.address + range.length - 1) / page_bytes; ++page)
            ranges_.push_back(page << chunk_bits | chunk);
    if (++chunks_ % WordIndex::group_chunks == 0)
        finish_group();
}

void WordIndexBuilder::finish_group() {
    if (groups_.size() * WordIndex::group_chunks >= chunks_)
        return; // nothing since the last group
    radix_sort(words_);
    radix_sort(ranges_);
    ranges_.erase(std::unique(ranges_.begin(), ranges_.end()), ranges_.end());
    std::vector<PageList> pages;
    ByteWriter lists;
    size_t word = 0, range = 0;
    while (word < words_.size() || range < ranges_.size()) {
        uint64_t page = ~uint64_t(0);
        if (word < words_.size())
            page = words_[word] >> chunk_bits >> 9;
        if (range < ranges_.size())
            page = std::min(page, ranges_[range] >> chunk_bits);
        pages.push_back({uint32_t(page), uint32_t(lists.bytes.size())});
        size_t end = range;
        while (end < ranges_.size() && ranges_[end] >> chunk_bits == page)
            ++end;
        lists.varint(end - range);
        uint64_t last = 0;
        for (; range < end; ++range) {
            uint64_t chunk = ranges_[range] % WordIndex::group_chunks;
            lists.varint(chunk - last);
            last = chunk;
        }
        last = 0;
        for (; word < words_.size() && words_[word] >> chunk_bits >> 9 == page; ++word) {
            uint64_t key = words_[word] & ((page_words << chunk_bits) - 1);
            lists.varint(key - last);
            last = key;
        }
    }
    WordGroup group;
    group.pages = pages.size();
    group.offset = bodies_.bytes.size();
    for (const PageList &list : pages)
        bodies_.fixed(list);
    bodies_.raw(lists.bytes);
    bodies_.bytes.resize((bodies_.bytes.size() + 7) & ~size_t(7));
    group.length = bodies_.bytes.size() - group.offset;
    groups_.push_back(group);
    words_.clear();
    ranges_.clear();
}

Bytes WordIndexBuilder::encode() {
    finish_group();
    ByteWriter out;
    out.fixed(uint64_t(groups_.size()));
    for (const WordGroup &group : groups_)
        out.fixed(group);
    out.raw(bodies_.bytes);
    return std::move(out.bytes);
}

WordIndex::WordIndex(ByteSpan payload) {
    open(payload);
}

WordIndex::WordIndex(Bytes payload) : kept_(std::move(payload)) {
    open(kept_);
}

void WordIndex::open(ByteSpan payload) {
    ByteReader in(payload);
    uint64_t count = in.fixed<uint64_t>();
    if (count > in.left() / sizeof(WordGroup))
        throw FormatError("damaged word index");
    groups_ = {reinterpret_cast<const WordGroup *>(in.raw(count * sizeof(WordGroup)).data()),
               count};
    bodies_ = in.raw(in.left());
    for (const WordGroup &group : groups_)
        if (group.offset > bodies_.size() || group.length > bodies_.size() - group.offset ||
            group.pages > group.length / sizeof(PageList))
            throw FormatError("damaged word index");
}

uint64_t WordIndex::chunks(size_t number, uint64_t page, unsigned first, unsigned last) const {
    const WordGroup &group = groups_[number];
    ByteSpan body = bodies_.subspan(group.offset, group.length);
    std::span<const PageList> pages(reinterpret_cast<const PageList *>(body.data()), group.pages);
    auto at = std::lower_bound(pages.begin(), pages.end(), page,
                               [](const PageList &list, uint64_t p) { return list.page < p; });
    if (at == pages.end() || at->page != page)
        return 0;
    ByteSpan lists = body.subspan(group.pages * sizeof(PageList));
    uint64_t end = at + 1 == pages.end() ? lists.size() : (at + 1)->offset;
    if (at->offset > end || end > lists.size())
        throw FormatError("damaged word index");
    ByteReader in(lists.subspan(at->offset, end - at->offset));
    uint64_t found = 0, chunk = 0;
    for (uint64_t ranges = in.varint(); ranges; --ranges) {
        chunk += in.varint();
        found |= uint64_t(1) << (chunk % group_chunks);
    }
    uint64_t key = 0;
    bool is_last_page = at + 1 == pages.end(); // followed by padding, which reads as zeros
    for (bool begun = false; !in.done();) {
        uint64_t distance = in.varint();
        if (is_last_page && begun && !distance)
            break;
        begun = true;
        key += distance;
        unsigned word = unsigned(key >> chunk_bits);
        if (word > last)
            break;
        if (word >= first)
            found |= uint64_t(1) << (key % group_chunks);
    }
    return found;
}

} // namespace heapstory
