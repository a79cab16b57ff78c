// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/index/word_index.h"

#include <algorithm>
#include <bit>
#include <span>

namespace heapstory {

namespace {

enum Told : uint64_t { as_before = 0, one_chunk = 1, as_mask = 2 };

} // namespace

WordIndexBuilder::Page &WordIndexBuilder::get(uint64_t number) {
    if (number != last_number_) { // words come in ascending order
        auto &slot = pages_[number];
        if (!slot)
            slot = std::make_unique<Page>();
        last_number_ = number;
        last_page_ = slot.get();
    }
    return *last_page_;
}

uint64_t *WordIndexBuilder::page(uint64_t number) {
    return get(number).words;
}

void WordIndexBuilder::add_range(const Range &range) {
    for (uint64_t number = range.address / page_bytes;
         number <= (range.address + range.length - 1) / page_bytes; ++number)
        get(number).ranges |= bit();
}

void WordIndexBuilder::add(const EventsView &view) {
    std::vector<uint64_t> words;
    for (const SlotSegment &segment : view.segments()) {
        segment_words(segment, view.slots(), words);
        for (uint64_t word : words)
            get(word / page_words).words[word % page_words] |= bit();
    }
    for (const Range &range : view.ranges())
        add_range(range);
    end_chunk();
}

void WordIndexBuilder::end_chunk() {
    if (++chunks_ % WordIndex::group_chunks == 0)
        finish_group();
}

void WordIndexBuilder::finish_group() {
    std::vector<uint64_t> numbers;
    for (const auto &[number, page] : pages_)
        numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    std::vector<PageList> pages;
    ByteWriter lists;
    for (uint64_t number : numbers) {
        const Page &page = *pages_[number];
        pages.push_back({uint32_t(number), uint32_t(lists.bytes.size())});
        lists.fixed(page.ranges);
        lists.varint(uint64_t(page_words - std::count(page.words, page.words + page_words, 0)));
        uint64_t before = 0, last = 0;
        for (uint64_t word = 0; word < page_words; ++word) {
            uint64_t mask = page.words[word];
            if (!mask)
                continue;
            Told told = mask == before              ? as_before
                        : std::has_single_bit(mask) ? one_chunk
                                                    : as_mask;
            lists.varint((word - last) << 2 | told);
            if (told == one_chunk)
                lists.fixed(uint8_t(std::countr_zero(mask)));
            else if (told == as_mask)
                lists.fixed(mask);
            before = mask;
            last = word;
        }
    }
    pages_.clear();
    last_number_ = ~uint64_t(0);
    ByteWriter out;
    out.fixed(uint64_t(pages.size()));
    for (const PageList &list : pages)
        out.fixed(list);
    out.raw(lists.bytes);
    write_(out.bytes);
    ++written_;
}

void WordIndexBuilder::finish() {
    if (written_ * WordIndex::group_chunks < chunks_)
        finish_group();
}

uint64_t WordIndex::chunks(size_t number, uint64_t page, unsigned first, unsigned last) const {
    ByteReader group(file_ ? file_->payload(in_file_[number]) : ByteSpan(kept_[number]));
    uint64_t count = group.fixed<uint64_t>();
    if (count > group.left() / sizeof(PageList))
        throw FormatError("damaged word index");
    std::span<const PageList> pages(
        reinterpret_cast<const PageList *>(group.raw(count * sizeof(PageList)).data()), count);
    auto at = std::lower_bound(pages.begin(), pages.end(), page,
                               [](const PageList &list, uint64_t p) { return list.page < p; });
    if (at == pages.end() || at->page != page)
        return 0;
    ByteSpan lists = group.raw(group.left());
    uint64_t end = at + 1 == pages.end() ? lists.size() : (at + 1)->offset;
    if (at->offset > end || end > lists.size())
        throw FormatError("damaged word index");
    ByteReader in(lists.subspan(at->offset, end - at->offset));
    uint64_t found = in.fixed<uint64_t>();
    uint64_t word = 0, mask = 0;
    for (uint64_t words = in.varint(); words; --words) {
        uint64_t bits = in.varint();
        word += bits >> 2;
        if (word > last)
            break;
        if ((bits & 3) == one_chunk)
            mask = uint64_t(1) << (in.fixed<uint8_t>() % group_chunks);
        else if ((bits & 3) == as_mask)
            mask = in.fixed<uint64_t>();
        if (word >= first)
            found |= mask;
    }
    return found;
}

} // namespace heapstory
