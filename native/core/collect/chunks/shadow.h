// The collector's picture of recorded memory: the last value, writer and validity of every word,
// kept in step with the stream. It tells silent stores from changes and is what keyframes are made
// of. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/container/bytes.h"
#include "format/events/slot.h"
#include "format/index/keyframe.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace heapstory {

// Values are written as the stream is read, in the order of time. Who wrote last is written when
// chunks are packed, in the order of addresses and on another thread: see note_write.
struct ShadowPage {
    static constexpr uint32_t unused = ~uint32_t(0);

    alignas(64) uint64_t image[page_words];
    uint8_t mask[page_words]; // bytes written since the block was born, one bit each
    uint8_t
        covered[page_words]; // bytes of the last write; 0: calloc zeroed it, no slot stands for it
    uint64_t last[page_words]; // the last write: event << 24 | site
    uint32_t number = 0;       // address / 4096
    uint32_t index = unused;   // among the pages of the chunk that is being gathered

    // Later writes win, in whatever order they are noted.
    void note_write(unsigned word, uint64_t event, uint32_t site, uint8_t bytes) {
        uint64_t write = event << 24 | site;
        if (write >> 24 < last[word] >> 24)
            return;
        last[word] = write;
        covered[word] = bytes;
    }
};

// Shadow pages, many to a block of memory that the kernel can map as one: stores hit them in no
// order, and most of their cost would be finding out where each lies.
class PagePool {
  public:
    PagePool() = default;
    ~PagePool();
    PagePool(const PagePool &) = delete;
    PagePool &operator=(const PagePool &) = delete;

    ShadowPage *take(); // empty
    void give(ShadowPage *page) { free_.push_back(page); }

  private:
    void add_block();
    std::vector<void *> blocks_;
    std::vector<ShadowPage *> free_;
};

class Shadow {
  public:
    Shadow();
    ~Shadow();
    Shadow(const Shadow &) = delete;
    Shadow &operator=(const Shadow &) = delete;

    ShadowPage *const *table() const { return table_; } // by page number; null where there is none
    ShadowPage &get(uint64_t address) {
        ShadowPage *&page = table_[address / page_bytes];
        return page ? *page : make(page, address);
    }

    // One store inside one word, of `size` bytes from byte `first` on. True if it changed the field
    // or wrote it for the first time.
    static bool store(ShadowPage &page, unsigned word, unsigned first, unsigned size,
                      uint64_t value, uint64_t &live_words) {
        uint8_t bits = uint8_t(((1u << size) - 1) << first);
        uint64_t covered = (~uint64_t(0) >> (64 - 8 * size)) << (8 * first);
        uint64_t old = page.image[word];
        uint64_t fresh = (old & ~covered) | ((value << (8 * first)) & covered);
        page.image[word] = fresh;
        uint8_t mask = page.mask[word];
        page.mask[word] = mask | bits;
        live_words += mask == 0;
        return (mask & bits) != bits || old != fresh;
    }
    bool store(ShadowPage &page, unsigned word, unsigned first, unsigned size, uint64_t value) {
        return store(page, word, first, size, value, live_words_);
    }
    void add_live_words(uint64_t more) { live_words_ += more; }

    // Bytes of any length; counts as above.
    bool copy(uint64_t address, ByteSpan bytes);
    Bytes read(uint64_t address, uint64_t size);
    // Calls differs(address) for every byte that was written and is not the one of `bytes`.
    template <class Differs> void compare(uint64_t address, ByteSpan bytes, Differs differs) const;
    // The block at these bytes was born or died: they hold nothing that was written.
    void clear(uint64_t address, uint64_t size);
    // As clear, but the bytes are known to be zero (calloc): a store of zero is silent.
    void zero(uint64_t address, uint64_t size);
    // Who wrote whole words last: see ShadowPage::note_write.
    void note_writes(uint64_t address, uint64_t size, uint64_t event, uint32_t site, uint8_t bytes);

    uint64_t live_words() const { return live_words_; }
    uint64_t pages() const { return pages_.size(); }
    // All words that were written, in ascending order. What was gathered must have been packed.
    std::vector<KeyframePart> keyframe(uint64_t next_event);
    // Whether enough pages are empty for a sweep, which gives them back. Between chunks only.
    bool wants_sweep() const { return emptied_ >= 256 && emptied_ * 4 >= pages_.size(); }
    void sweep();

  private:
    ShadowPage &make(ShadowPage *&slot, uint64_t address);
    template <class Visit> static void for_pages(uint64_t address, uint64_t size, Visit visit);

    ShadowPage **table_; // by page number, sparse
    PagePool pool_;
    std::vector<ShadowPage *> pages_;
    uint64_t live_words_ = 0;
    uint64_t emptied_ = 0; // pages that a clear may have emptied
};

constexpr unsigned shadow_address_bits = 40;

template <class Differs>
void Shadow::compare(uint64_t address, ByteSpan bytes, Differs differs) const {
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
        const uint64_t where = address + at;
        const ShadowPage *page = table_[where / page_bytes];
        if (!page) {
            at += page_bytes - where % page_bytes - 8;
            continue;
        }
        uint64_t now;
        std::memcpy(&now, bytes.data() + at, 8);
        const unsigned word = where % page_bytes / 8;
        uint64_t difference = now ^ page->image[word];
        if (!difference) [[likely]]
            continue;
        for (unsigned byte = 0; byte < 8; ++byte, difference >>= 8)
            if (difference & 0xff && page->mask[word] >> byte & 1)
                differs(where + byte);
    }
}

} // namespace heapstory
