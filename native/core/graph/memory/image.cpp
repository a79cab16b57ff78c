// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/memory/image.h"

#include "graph/memory/range_cover.h"
#include "store/memory.h"
#include "store/parallel.h"

#include <algorithm>
#include <array>
#include <bit>

namespace heapstory {

namespace {

// The bits of the bytes of a mask.
constexpr std::array<uint64_t, 256> make_spread() {
    std::array<uint64_t, 256> spread{};
    for (unsigned mask = 0; mask < 256; ++mask)
        for (unsigned byte = 0; byte < 8; ++byte)
            if (mask >> byte & 1)
                spread[mask] |= uint64_t(0xff) << (8 * byte);
    return spread;
}
constexpr std::array<uint64_t, 256> spread = make_spread();

constexpr size_t slab_bytes = 2 * huge_page;
constexpr size_t slab_pages = slab_bytes / sizeof(ImagePage);

struct Slab {
    void *memory = map_huge(slab_bytes);
    Slab() = default;
    Slab(Slab &&other) : memory(std::exchange(other.memory, nullptr)) {}
    ~Slab() {
        if (memory)
            unmap_huge(memory, slab_bytes);
    }
    ImagePage *page(size_t i) { return static_cast<ImagePage *>(memory) + i; }
};

} // namespace

// A stretch of the address space, one thread's work.
class Image::Part {
  public:
    Part(const Store &store, uint64_t events, const Since &since, uint64_t first, uint64_t end)
        : store_(store), events_(events), since_(since), first_(first), end_(end) {}

    // Newest chunk first, then the keyframe.
    void apply(uint32_t chunk);
    void load(const Store::Keyframe &keyframe);

    const ImagePage *page(uint64_t word) const {
        const uint32_t *number = numbers_.find(word / image_page_words);
        return number && *number ? pages_[*number - 1] : nullptr;
    }

  private:
    struct Write {
        uint64_t value = 0, event = 0;
        uint32_t site = 0;
        uint8_t mask = 0;
    };
    struct Run { // all slots of one word in a chunk that have happened
        const Slot *first, *end;
    };
    struct Complete { // the words of a page that need nothing older: a bit each
        uint64_t bits[image_page_words / 64] = {};
    };

    bool mine(uint64_t word) const { return word - first_ < end_ - first_; }
    uint32_t number_of(uint64_t word);
    // Both want the page's number to be current.
    bool complete(uint64_t word) const {
        uint64_t i = word % image_page_words;
        return complete_[number_].bits[i / 64] >> i % 64 & 1;
    }
    void fill(uint64_t word, const Write &older);
    void turn_to(uint64_t word) {
        if (word / image_page_words != page_) {
            page_ = word / image_page_words;
            number_ = number_of(word);
        }
    }
    void load(const std::vector<KeyWord> &words);
    void find_runs(uint32_t events);
    void apply_run(const Run &run, uint64_t base, const RangeCover &cover);
    void apply_cover(const RangeCover &cover, uint64_t base);

    const Store &store_;
    const uint64_t events_;
    const Since &since_;
    const uint64_t first_, end_; // words
    PageMap<uint32_t> numbers_;  // from 1
    std::vector<ImagePage *> pages_;
    Values<Complete> complete_;
    std::vector<Slab> slabs_;
    std::vector<Slot> slots_; // of the segment at hand
    std::vector<Run> runs_;
    uint64_t page_ = ~uint64_t(0); // where we are
    uint32_t number_ = 0;
    std::shared_ptr<const ChunkRanges> ranges_; // of the chunk at hand
};

uint32_t Image::Part::number_of(uint64_t word) {
    uint32_t &number = numbers_.get(word / image_page_words);
    if (!number) {
        if (pages_.size() % slab_pages == 0)
            slabs_.emplace_back();
        // Zeros: words that were never written.
        pages_.push_back(new (slabs_.back().page(pages_.size() % slab_pages)) ImagePage{});
        complete_.emplace_back();
        number = uint32_t(pages_.size());
    }
    return number - 1;
}

// Adds what an older write left of a word that newer ones have not replaced.
void Image::Part::fill(uint64_t word, const Write &older) {
    uint64_t i = word % image_page_words;
    ImageWord &at = pages_[number_]->words[i];
    uint8_t &mask = pages_[number_]->mask[i];
    uint8_t fresh = older.mask & ~mask;
    if (!fresh)
        return;
    if (!mask) {
        at.event = older.event;
        at.site = older.site;
    } else if (older.event < since_(word * 8 + unsigned(std::countr_zero(fresh)))) {
        return; // those bytes were an earlier node's
    }
    at.value |= older.value & spread[fresh];
    mask |= fresh;
    if (mask == 0xff)
        complete_[number_].bits[i / 64] |= uint64_t(1) << i % 64;
}

void Image::Part::apply_run(const Run &run, uint64_t base, const RangeCover &cover) {
    uint64_t word = run.first->word;
    turn_to(word);
    const Range *range = cover.empty() ? nullptr : cover.find(word);
    for (const Slot *slot = run.end; slot-- != run.first;) {
        if (range && slot->event < range->event)
            return; // gone under the range, which follows in apply_cover
        fill(word, {slot->value << (8 * shape_first(slot->shape)), base + slot->event, slot->site,
                    shape_mask(slot->shape)});
        if (slot->shape == whole_word)
            return;
    }
}

void Image::Part::apply_cover(const RangeCover &cover, uint64_t base) {
    for (const auto &[end, piece] : cover.pieces()) {
        const Range &range = *piece.range;
        Write write{0, base + range.event, range.site, 0xff};
        std::memset(&write.value, range.fill, 8);
        for (uint64_t word = piece.first; word < end; ++word) {
            turn_to(word);
            if (complete(word))
                continue;
            if (!range.is_fill)
                std::memcpy(&write.value,
                            ranges_->bytes.data() + range.bytes + (word * 8 - range.address), 8);
            fill(word, write);
        }
    }
}

// The runs of slots_ that have something to say.
void Image::Part::find_runs(uint32_t events) {
    runs_.clear();
    const Slot *stop = slots_.data() + slots_.size();
    for (const Slot *first = slots_.data(); first != stop;) {
        uint64_t word = first->word;
        const Slot *next = first, *end = first;
        for (; next != stop && next->word == word; ++next)
            if (next->event < events)
                end = next + 1;
        if (end != first && mine(word)) {
            turn_to(word);
            if (!complete(word)) {
                runs_.push_back({first, end});
                __builtin_prefetch(&pages_[number_]->words[word % image_page_words], 1);
                __builtin_prefetch(&pages_[number_]->mask[word % image_page_words], 1);
            }
        }
        first = next;
    }
}

void Image::Part::apply(uint32_t chunk) {
    const ChunkHeader &header = store_.header(chunk);
    uint32_t events = uint32_t(std::min<uint64_t>(events_ - header.first_event, header.events));
    ranges_ = store_.ranges(chunk);
    RangeCover cover(*ranges_, events, first_, end_);
    EventsView view = store_.events(chunk);
    ByteSpan section = view.slots();
    for (const SlotSegment &segment : view.segments()) {
        if (segment.last_word < first_ || segment.first_word >= end_)
            continue;
        decode_segment(segment, section, slots_);
        find_runs(events);
        for (const Run &run : runs_)
            apply_run(run, header.first_event, cover);
    }
    apply_cover(cover, header.first_event);
}

void Image::Part::load(const Store::Keyframe &keyframe) {
    std::vector<KeyWord> words;
    for (uint32_t part = 0; part < keyframe.parts; ++part) {
        if (store_.header(keyframe.chunk + part).first_word >= end_)
            return;
        KeyframeView view = store_.keyframe_part(keyframe, part);
        for (const KeySegment &segment : view.segments()) {
            if (segment.last_word < first_ || segment.first_word >= end_)
                continue;
            view.decode(segment, words);
            load(words);
        }
    }
}

void Image::Part::load(const std::vector<KeyWord> &words) {
    for (const KeyWord &key : words) {
        if (!mine(key.word))
            continue;
        turn_to(key.word);
        if (!complete(key.word))
            fill(key.word, {key.value, key.event, key.site, key.mask});
    }
}

namespace {

// Words that cut what is to be read into parts of about the same size: the ends of all but the
// last. A program works here now and there later, so all chunks count.
std::vector<uint64_t> cuts(const Store &store, const std::vector<uint32_t> &chunks,
                           const Store::Keyframe *keyframe, size_t parts) {
    std::vector<uint64_t> words;
    for (uint32_t chunk : chunks)
        for (const SlotSegment &segment : store.events(chunk).segments())
            words.push_back(segment.first_word);
    for (uint32_t part = 0; chunks.empty() && keyframe && part < keyframe->parts; ++part)
        for (const KeySegment &segment : store.keyframe_part(*keyframe, part).segments())
            words.push_back(segment.first_word);
    std::sort(words.begin(), words.end());
    std::vector<uint64_t> ends;
    for (size_t part = 1; part < parts && !words.empty(); ++part)
        ends.push_back(words[words.size() * part / parts] & ~(image_page_words - 1));
    return ends;
}

// All parts read the same chunks: check each once, and let the kernel fetch what comes next.
void check(const Store &store, const std::vector<uint32_t> &chunks) {
    constexpr size_t ahead = 16;
    in_parallel(chunks.size(), [&](size_t i) {
        if (i + ahead < chunks.size())
            store.file().will_need(chunks[i + ahead]);
        store.file().payload(chunks[i]);
    });
}

} // namespace

Image::Image(const Store &store, uint64_t events, const Since &since) {
    const Store::Keyframe *keyframe = store.keyframe_before(events);
    std::vector<uint32_t> chunks;
    for (uint32_t chunk : store.event_chunks())
        if ((!keyframe || chunk > keyframe->chunk) && store.header(chunk).first_event <= events)
            chunks.push_back(chunk);
    std::reverse(chunks.begin(), chunks.end());
    std::vector<uint32_t> needed = chunks;
    for (uint32_t part = 0; keyframe && part < keyframe->parts; ++part)
        needed.push_back(keyframe->chunk + part);
    check(store, needed);

    ends_ = cuts(store, chunks, keyframe, workers());
    ends_.push_back(~uint64_t(0));
    uint64_t first = 0;
    for (uint64_t end : ends_) {
        parts_.push_back(std::make_shared<Part>(store, events, since, first, end));
        first = end;
    }
    in_parallel(parts_.size(), [&](size_t number) {
        for (uint32_t chunk : chunks)
            parts_[number]->apply(chunk);
        if (keyframe)
            parts_[number]->load(*keyframe);
    });
}

const ImagePage *Image::page(uint64_t word) const {
    auto part = std::upper_bound(ends_.begin(), ends_.end(), word);
    return part == ends_.end() ? nullptr : parts_[size_t(part - ends_.begin())]->page(word);
}

} // namespace heapstory
