// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/shadow.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace heapstory {

namespace {
constexpr size_t table_bytes = (size_t(1) << shadow_address_bits) / page_bytes * sizeof(void *);
// event[] of a word that calloc zeroed and nothing has written: no slot stands for it.
constexpr uint8_t zeroed_only = 2;
} // namespace

Shadow::Shadow() {
    void *map = mmap(nullptr, table_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        throw std::bad_alloc();
    table_ = static_cast<ShadowPage **>(map);
}

Shadow::~Shadow() {
    for (ShadowPage *page : pages_)
        delete page;
    munmap(table_, table_bytes);
}

ShadowPage &Shadow::make(ShadowPage *&slot, uint64_t address) {
    slot = new ShadowPage();
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

bool Shadow::copy(uint64_t address, ByteSpan bytes, uint64_t event, uint32_t site) {
    bool changed = false;
    const uint8_t *from = bytes.data();
    for_pages(address, bytes.size(), [&](uint64_t at, unsigned offset, unsigned size) {
        ShadowPage &page = get(at);
        changed |= std::memcmp(page.image + offset, from, size) != 0;
        std::memcpy(page.image + offset, from, size);
        from += size;
        for (unsigned first = offset, end = offset + size; first < end;) {
            unsigned word = first / 8, stop = std::min(end, word * 8 + 8);
            uint8_t bits = uint8_t(((1u << (stop - first)) - 1) << (first % 8));
            uint8_t mask = page.mask[word];
            changed |= (mask & bits) != bits;
            live_words_ += mask == 0;
            page.mask[word] = mask | bits;
            page.mixed[word] = (mask | bits) != bits;
            page.event[word] = event;
            page.site[word] = site;
            first = stop;
        }
    });
    return changed;
}

Bytes Shadow::read(uint64_t address, uint64_t size) {
    Bytes out;
    out.reserve(size);
    for_pages(address, size, [&](uint64_t at, unsigned offset, unsigned length) {
        const ShadowPage &page = get(at);
        out.insert(out.end(), page.image + offset, page.image + offset + length);
    });
    return out;
}

void Shadow::clear(uint64_t address, uint64_t size) {
    for_pages(address, size, [&](uint64_t at, unsigned offset, unsigned length) {
        ShadowPage *page = find(at);
        if (!page)
            return;
        if (length == page_bytes)
            ++emptied_;
        for (unsigned first = offset, end = offset + length; first < end;) {
            unsigned word = first / 8, stop = std::min(end, word * 8 + 8);
            uint8_t bits = uint8_t(((1u << (stop - first)) - 1) << (first % 8));
            uint8_t mask = page->mask[word];
            if (mask) {
                page->mask[word] = mask & ~bits;
                live_words_ -= (mask & ~bits) == 0;
            }
            first = stop;
        }
    });
}

void Shadow::zero(uint64_t address, uint64_t size, uint64_t event) {
    clear(address, size);
    for_pages(address, size, [&](uint64_t at, unsigned offset, unsigned length) {
        ShadowPage &page = get(at);
        std::memset(page.image + offset, 0, length);
        for (unsigned first = offset, end = offset + length; first < end;) {
            unsigned word = first / 8, stop = std::min(end, word * 8 + 8);
            uint8_t bits = uint8_t(((1u << (stop - first)) - 1) << (first % 8));
            live_words_ += page.mask[word] == 0;
            page.mask[word] |= bits;
            page.mixed[word] = zeroed_only;
            page.event[word] = event;
            page.site[word] = 0;
            first = stop;
        }
    });
}

Bytes Shadow::keyframe(uint64_t next_event) {
    std::sort(pages_.begin(), pages_.end(),
              [](const ShadowPage *a, const ShadowPage *b) { return a->number < b->number; });
    KeyframeEncoder encoder(next_event);
    for (const ShadowPage *page : pages_) {
        uint64_t first = uint64_t(page->number) * page_words;
        for (unsigned i = 0; i < page_words; ++i) {
            if (!page->mask[i] || page->mixed[i] == zeroed_only)
                continue;
            KeyWord word;
            word.word = first + i;
            std::memcpy(&word.value, page->image + 8 * i, 8);
            word.event = page->event[i];
            word.site = page->site[i];
            word.mask = page->mask[i];
            word.mixed = page->mixed[i];
            if (word.mask != 0xff) // what was never written must not leak into the trace
                for (unsigned byte = 0; byte < 8; ++byte)
                    if (!(word.mask >> byte & 1))
                        word.value &= ~(uint64_t(0xff) << (8 * byte));
            encoder.add(word);
        }
    }
    return encoder.finish();
}

void Shadow::sweep() {
    if (emptied_ < 256 || emptied_ * 4 < pages_.size())
        return;
    emptied_ = 0;
    std::erase_if(pages_, [this](ShadowPage *page) {
        if (std::any_of(std::begin(page->mask), std::end(page->mask), [](uint8_t m) { return m; }))
            return false;
        table_[page->number] = nullptr;
        delete page;
        return true;
    });
}

} // namespace heapstory
