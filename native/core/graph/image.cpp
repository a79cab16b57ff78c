// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/image.h"

#include <algorithm>
#include <exception>
#include <new>
#include <sys/mman.h>
#include <thread>

namespace heapstory {

Image::Image(const Store &store, uint64_t events) : store_(store), events_(events) {
    void *map = mmap(nullptr, pages * sizeof(void *), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        throw std::bad_alloc();
    table_ = static_cast<ImagePage **>(map);

    const Store::Keyframe *keyframe = store.keyframe_before(events);
    std::vector<uint32_t> chunks;
    for (uint32_t chunk : store.event_chunks())
        if ((!keyframe || chunk > keyframe->chunk) && store.header(chunk).first_event <= events)
            chunks.push_back(chunk);

    parts_.resize(2);
    parts_[0].end = parts_[1].first = middle();
    parts_[1].end = ~uint64_t(0);
    std::exception_ptr failure[2];
    auto work = [&](size_t number) {
        try {
            if (keyframe)
                load(parts_[number], *keyframe);
            for (uint32_t chunk : chunks)
                apply(parts_[number], chunk);
        } catch (...) {
            failure[number] = std::current_exception();
        }
    };
    {
        std::jthread other(work, 1);
        work(0);
    }
    for (auto &error : failure)
        if (error)
            std::rethrow_exception(error);
}

Image::~Image() {
    munmap(table_, pages * sizeof(void *));
}

// A word that has about half of the slots below it, judged by the middle chunk.
uint64_t Image::middle() const {
    const auto &chunks = store_.event_chunks();
    if (chunks.empty())
        return 0;
    auto segments = store_.events(chunks[chunks.size() / 2]).segments();
    return segments.empty() ? 0
                            : segments[segments.size() / 2].first_word & ~(image_page_words - 1);
}

ImagePage &Image::get(Part &part, uint64_t word) {
    if (word / image_page_words >= pages)
        throw FormatError("damaged address");
    ImagePage *&page = table_[word / image_page_words];
    if (!page) {
        part.kept.push_back(std::make_unique<ImagePage>());
        page = part.kept.back().get();
    }
    return *page;
}

void Image::load(Part &part, const Store::Keyframe &keyframe) {
    std::vector<KeyWord> words;
    for (const KeySegment &segment : keyframe.view.segments()) {
        if (segment.last_word < part.first || segment.first_word >= part.end)
            continue;
        keyframe.view.decode(segment, words);
        for (const KeyWord &word : words) {
            if (word.word < part.first || word.word >= part.end)
                continue;
            ImagePage &page = get(part, word.word);
            uint64_t i = word.word % image_page_words;
            page.value[i] = word.value;
            page.event[i] = word.event;
            page.site[i] = word.site;
            page.mask[i] = word.mask;
            page.initial[i] = word.site == 0;
        }
    }
}

void Image::apply_ranges(Part &part, uint32_t chunk, uint32_t events) {
    auto found = store_.ranges(chunk);
    uint64_t base = store_.header(chunk).first_event;
    for (const Range &range : found->ranges) {
        if (range.event >= events + range.is_initial)
            continue;
        uint64_t first = std::max((range.address + 7) / 8, part.first);
        uint64_t end = std::min((range.address + range.length) / 8, part.end);
        for (uint64_t word = first; word < end; ++word) {
            ImagePage &page = get(part, word);
            uint64_t i = word % image_page_words;
            if (range.is_fill)
                std::memset(&page.value[i], range.fill, 8);
            else
                std::memcpy(&page.value[i],
                            found->bytes.data() + range.bytes + (word * 8 - range.address), 8);
            page.event[i] = base + range.event;
            page.site[i] = range.site;
            page.mask[i] = 0xff;
            page.initial[i] = range.is_initial;
        }
    }
}

void Image::apply(Part &part, uint32_t chunk) {
    const ChunkHeader &header = store_.header(chunk);
    uint32_t events = uint32_t(std::min<uint64_t>(events_ - header.first_event, header.events));
    EventsView view = store_.events(chunk);
    apply_ranges(part, chunk, events);
    std::vector<Slot> slots;
    ByteSpan section = view.slots();
    for (const SlotSegment &segment : view.segments()) {
        if (segment.last_word < part.first || segment.first_word >= part.end)
            continue;
        decode_segment(segment, section, slots);
        for (const Slot &slot : slots) {
            if (slot.event >= events || slot.word < part.first || slot.word >= part.end)
                continue;
            ImagePage &page = get(part, slot.word);
            uint64_t i = slot.word % image_page_words;
            uint64_t event = header.first_event + slot.event;
            // Ranges were applied first and cover whole words: an older slot is gone.
            if (page.mask[i] && page.event[i] > event)
                continue;
            page.value[i] = slot.apply(page.value[i]);
            page.event[i] = event;
            page.site[i] = slot.site;
            page.mask[i] |= shape_mask(slot.shape);
            page.initial[i] = false;
        }
    }
}

} // namespace heapstory
