// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/chunks/shadow.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace heapstory {

namespace {

constexpr size_t table_bytes = (size_t(1) << shadow_address_bits) / page_bytes * sizeof(void *);

uint8_t *bytes_of(ShadowPage &page) {
    return reinterpret_cast<uint8_t *>(page.image);
}

// Calls visit(word, bits) for the words of a page that bytes [offset, offset + size) touch.
template <class Visit> void for_words(unsigned offset, unsigned size, Visit visit) {
    for (unsigned first = offset, end = offset + size; first < end;) {
        unsigned word = first / 8, stop = std::min(end, word * 8 + 8);
        visit(word, uint8_t(((1u << (stop - first)) - 1) << (first % 8)));
        first = stop;
    }
}

// All bits of the bytes that `mask` names.
uint64_t spread(uint8_t mask) {
    uint64_t bits = 0;
    for (unsigned byte = 0; byte < 8; ++byte)
        if (mask >> byte & 1)
            bits |= uint64_t(0xff) << (8 * byte);
    return bits;
}

} // namespace

PagePool::~PagePool() {
    for (void *block : blocks_)
        std::free(block);
}

void PagePool::add_block() {
    constexpr size_t bytes = size_t(2) << 20; // a huge page
    void *block = std::aligned_alloc(bytes, bytes);
    if (!block)
        throw std::bad_alloc();
    madvise(block, bytes, MADV_HUGEPAGE); // where there are none it works as well
    blocks_.push_back(block);
    auto *pages = static_cast<ShadowPage *>(block);
    for (size_t i = bytes / sizeof(ShadowPage); i-- > 0;)
        free_.push_back(pages + i);
}

ShadowPage *PagePool::take() {
    if (free_.empty())
        add_block();
    ShadowPage *page = free_.back();
    free_.pop_back();
    return new (page) ShadowPage();
}

Shadow::Shadow() {
    void *map = mmap(nullptr, table_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        throw std::bad_alloc();
    table_ = static_cast<ShadowPage **>(map);
}

Shadow::~Shadow() {
    munmap(table_, table_bytes);
}

ShadowPage &Shadow::make(ShadowPage *&slot, uint64_t address) {
    slot = pool_.take();
    slot->number = uint32_t(address / page_bytes);
    pages_.push_back(slot);
    return *slot;
}

template <class Visit> void Shadow::for_pages(uint64_t address, uint64_t size, Visit visit) {
    for (uint64_t at = address, end = address + size; at < end;) {
        uint64_t stop = std::min(end, (at / page_bytes + 1) * page_bytes);
        visit(at, unsigned(at % page_bytes), unsigned(stop - at));
        at = stop;
    }
}

bool Shadow::copy(uint64_t address, ByteSpan bytes) {
    bool changed = false;
    const uint8_t *from = bytes.data();
    for_pages(address, bytes.size(), [&](uint64_t at, unsigned offset, unsigned size) {
        ShadowPage &page = get(at);
        uint8_t *to = bytes_of(page) + offset;
        changed |= std::memcmp(to, from, size) != 0;
        std::memcpy(to, from, size);
        from += size;
        for_words(offset, size, [&](unsigned word, uint8_t bits) {
            uint8_t mask = page.mask[word];
            changed |= (mask & bits) != bits;
            live_words_ += mask == 0;
            page.mask[word] = mask | bits;
        });
    });
    return changed;
}

Bytes Shadow::read(uint64_t address, uint64_t size) {
    Bytes out;
    out.reserve(size);
    for_pages(address, size, [&](uint64_t at, unsigned offset, unsigned length) {
        const uint8_t *from = bytes_of(get(at)) + offset;
        out.insert(out.end(), from, from + length);
    });
    return out;
}

void Shadow::clear(uint64_t address, uint64_t size) {
    for_pages(address, size, [&](uint64_t at, unsigned offset, unsigned length) {
        ShadowPage *page = table_[at / page_bytes];
        if (!page)
            return;
        if (length == page_bytes)
            ++emptied_;
        for_words(offset, length, [&](unsigned word, uint8_t bits) {
            uint8_t mask = page->mask[word];
            if (!mask)
                return;
            page->mask[word] = mask & ~bits;
            live_words_ -= (mask & ~bits) == 0;
        });
    });
}

void Shadow::zero(uint64_t address, uint64_t size) {
    clear(address, size);
    for_pages(address, size, [&](uint64_t at, unsigned offset, unsigned length) {
        ShadowPage &page = get(at);
        std::memset(bytes_of(page) + offset, 0, length);
        for_words(offset, length, [&](unsigned word, uint8_t bits) {
            live_words_ += page.mask[word] == 0;
            page.mask[word] |= bits;
        });
    });
}

void Shadow::note_writes(uint64_t address, uint64_t size, uint64_t event, uint32_t site,
                         uint8_t bytes) {
    for_pages(address, size, [&](uint64_t at, unsigned offset, unsigned length) {
        if (ShadowPage *page = table_[at / page_bytes])
            for_words(offset, length,
                      [&](unsigned word, uint8_t) { page->note_write(word, event, site, bytes); });
    });
}

std::vector<KeyframePart> Shadow::keyframe(uint64_t next_event) {
    std::sort(pages_.begin(), pages_.end(),
              [](const ShadowPage *a, const ShadowPage *b) { return a->number < b->number; });
    KeyframeEncoder encoder(next_event);
    for (const ShadowPage *page : pages_) {
        uint64_t first = uint64_t(page->number) * page_words;
        for (unsigned i = 0; i < page_words; ++i) {
            uint8_t mask = page->mask[i];
            if (!mask || !page->covered[i])
                continue;
            KeyWord word;
            word.word = first + i;
            // What was never written must not leak into the trace.
            word.value = mask == 0xff ? page->image[i] : page->image[i] & spread(mask);
            word.event = page->last[i] >> 24;
            word.site = page->last[i] & 0xffffff;
            word.mask = mask;
            word.mixed = mask & ~page->covered[i];
            encoder.add(word);
        }
    }
    return encoder.finish();
}

void Shadow::sweep() {
    emptied_ = 0;
    std::erase_if(pages_, [this](ShadowPage *page) {
        if (std::any_of(std::begin(page->mask), std::end(page->mask), [](uint8_t m) { return m; }))
            return false;
        table_[page->number] = nullptr;
        pool_.give(page);
        return true;
    });
}

} // namespace heapstory
