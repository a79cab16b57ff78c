// The collector's picture of recorded memory: the last value, writer and validity of every word,
// kept in step with the stream. It tells silent stores from changes and is what keyframes are made
// of. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/bytes.h"
#include "format/keyframe.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace heapstory {

constexpr uint64_t page_bytes = 4096;
constexpr uint64_t page_words = page_bytes / 8;

struct ShadowPage {
    alignas(64) uint8_t image[page_bytes];
    uint8_t mask[page_words]; // bytes written since the block was born, one bit each
    uint8_t mixed[page_words];
    uint64_t event[page_words];
    uint32_t site[page_words];
    uint32_t number = 0;           // address / 4096
    uint32_t chunk = ~uint32_t(0); // last chunk that used the page ...
    uint32_t index = 0;            // ... and its number there
};

class Shadow {
  public:
    Shadow();
    ~Shadow();
    Shadow(const Shadow &) = delete;
    Shadow &operator=(const Shadow &) = delete;

    ShadowPage *find(uint64_t address) const { return table_[address / page_bytes]; }
    ShadowPage &get(uint64_t address) {
        ShadowPage *&page = table_[address / page_bytes];
        return page ? *page : make(page, address);
    }

    // One store inside one word. True if it changed the field or wrote it for the first time.
    bool store(ShadowPage &page, unsigned offset, unsigned size, uint64_t value, uint64_t event,
               uint32_t site) {
        unsigned word = offset / 8, first = offset % 8;
        uint8_t bits = uint8_t(((1u << size) - 1) << first);
        uint64_t covered = (~uint64_t(0) >> (64 - 8 * size)) << (8 * first);
        uint64_t old;
        std::memcpy(&old, page.image + 8 * word, 8);
        uint64_t fresh = (old & ~covered) | ((value << (8 * first)) & covered);
        std::memcpy(page.image + 8 * word, &fresh, 8);
        uint8_t mask = page.mask[word];
        bool changed = (mask & bits) != bits || old != fresh;
        live_words_ += mask == 0;
        mask |= bits;
        page.mask[word] = mask;
        page.mixed[word] = mask != bits;
        page.event[word] = event;
        page.site[word] = site;
        return changed;
    }

    // Bytes of any length; counts as above.
    bool copy(uint64_t address, ByteSpan bytes, uint64_t event, uint32_t site);
    Bytes read(uint64_t address, uint64_t size);
    // The block at these bytes was born or died: they hold nothing that was written.
    void clear(uint64_t address, uint64_t size);
    // As clear, but the bytes are known to be zero (calloc): a store of zero is silent.
    void zero(uint64_t address, uint64_t size, uint64_t event);

    uint64_t live_words() const { return live_words_; }
    uint64_t pages() const { return pages_.size(); }
    // All words that were written, in ascending order.
    Bytes keyframe(uint64_t next_event);
    // Gives back pages that hold nothing. Only between chunks.
    void sweep();

  private:
    ShadowPage &make(ShadowPage *&slot, uint64_t address);
    template <class Visit> void for_pages(uint64_t address, uint64_t size, Visit visit);

    ShadowPage **table_; // by page number, sparse
    std::vector<ShadowPage *> pages_;
    uint64_t live_words_ = 0;
    uint64_t emptied_ = 0; // pages that a clear may have emptied
};

constexpr unsigned shadow_address_bits = 40;

} // namespace heapstory
