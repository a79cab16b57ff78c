// Looking up words: backwards through the chunks that touch their page, down to a keyframe.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/store.h"

#include "store/parallel.h"

#include <algorithm>
#include <bit>

namespace heapstory {

namespace {

// Orders events and the contents that stood before them.
uint64_t order_of(uint64_t event, bool initial) {
    return event * 2 + !initial;
}

} // namespace

void Store::slots_of(uint32_t chunk, uint64_t first_word, uint64_t last_word, uint64_t first,
                     uint64_t last, Segments segments_are, std::vector<Version> &out) const {
    EventsView view = events(chunk);
    auto segments = view.segments();
    uint64_t base = header(chunk).first_event;
    auto take = [&](const std::vector<Slot> &slots) {
        auto slot = std::partition_point(slots.begin(), slots.end(),
                                         [&](const Slot &s) { return s.word < first_word; });
        for (; slot != slots.end() && slot->word <= last_word; ++slot) {
            uint64_t event = base + slot->event;
            if (event < first || event >= last)
                continue;
            Version version;
            version.event = event;
            version.address = slot->word * 8 + shape_first(slot->shape);
            version.size = shape_size(slot->shape);
            version.value = slot->value;
            version.site = slot->site;
            version.order = order_of(event, false);
            out.push_back(version);
        }
    };
    auto from = std::partition_point(segments.begin(), segments.end(), [&](const SlotSegment &s) {
        return s.last_word < first_word;
    });
    std::vector<Slot> passing;
    for (; from != segments.end() && from->first_word <= last_word; ++from) {
        if (segments_are == Segments::kept) {
            take(*segment(chunk, uint32_t(from - segments.begin())));
        } else {
            decode_words(*from, view.slots(), first_word, last_word, passing);
            take(passing);
        }
    }
}

void Store::ranges_of(uint32_t chunk, uint64_t address, uint64_t size, uint64_t first,
                      uint64_t last, std::vector<Version> &out) const {
    auto found = ranges(chunk);
    uint64_t base = header(chunk).first_event;
    for (uint32_t number = 0; number < found->ranges.size(); ++number) {
        const Range &range = found->ranges[number];
        uint64_t from = std::max(address, range.address);
        uint64_t to = std::min(address + size, range.address + range.length);
        uint64_t event = base + range.event;
        if (from >= to || event < first || event >= last + range.is_initial)
            continue;
        Version version;
        version.event = event;
        version.initial = range.is_initial;
        version.address = from;
        version.size = to - from;
        version.site = range.site;
        version.order = order_of(event, range.is_initial);
        version.chunk = chunk;
        version.range = number;
        unsigned bytes = unsigned(std::min<uint64_t>(8, version.size));
        if (range.is_fill)
            std::memset(&version.value, range.fill, bytes);
        else
            std::memcpy(&version.value, found->bytes.data() + range.bytes + (from - range.address),
                        bytes);
        out.push_back(version);
    }
}

Bytes Store::bytes(const Version &version) const {
    Bytes out(version.size);
    if (version.range == Version::slot) {
        std::memcpy(out.data(), &version.value, out.size());
        return out;
    }
    auto found = ranges(version.chunk);
    const Range &range = found->ranges[version.range];
    if (range.is_fill)
        std::fill(out.begin(), out.end(), range.fill);
    else
        std::memcpy(out.data(),
                    found->bytes.data() + range.bytes + (version.address - range.address),
                    out.size());
    return out;
}

std::optional<Bytes> Store::bytes(uint64_t address, uint64_t size, uint64_t n) const {
    Bytes out(size);
    for (uint64_t word = address / 8; word * 8 < address + size; ++word) {
        uint64_t first = std::max(word * 8, address), end = std::min(word * 8 + 8, address + size);
        uint64_t node = nodes().find(first, n);
        NodeRow row = node ? nodes().get(node) : NodeRow{};
        bool zeroed = node && row.flags & Birth::zeroed;
        WordState state = this->word(word, n, node ? contents_since(node, row, first) : 0);
        for (uint64_t at = first; at < end; ++at) {
            if (!(state.mask >> at % 8 & 1) && !zeroed)
                return {};
            out[at - address] = uint8_t(state.value >> 8 * (at % 8));
        }
    }
    return out;
}

void Store::word_in_chunk(uint32_t chunk, uint64_t word, uint64_t n,
                          std::vector<Version> &out) const {
    out.clear();
    slots_of(chunk, word, word, 0, n, Segments::kept, out);
    size_t slots = out.size();
    ranges_of(chunk, word * 8, 8, 0, n, out);
    if (out.size() > slots)
        std::stable_sort(out.begin(), out.end(),
                         [](const Version &a, const Version &b) { return a.order < b.order; });
}

bool Store::from_keyframe(const Keyframe &keyframe, uint64_t word, KeyWord &out) const {
    uint32_t low = 0, high = keyframe.parts; // the last part that begins at or before the word
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        (header(keyframe.chunk + middle).first_word <= word ? low : high) = middle;
    }
    KeyframeView view = keyframe_part(keyframe, low);
    auto segments = view.segments();
    auto at = std::partition_point(segments.begin(), segments.end(),
                                   [&](const KeySegment &s) { return s.last_word < word; });
    if (at == segments.end() || at->first_word > word)
        return false;
    uint64_t key = uint64_t(keyframe.chunk + low) << 32 | uint64_t(at - segments.begin());
    auto words =
        key_segments_.get(key, [&](std::vector<KeyWord> &decoded) { view.decode(*at, decoded); });
    auto found = std::lower_bound(words->begin(), words->end(), word,
                                  [](const KeyWord &k, uint64_t w) { return k.word < w; });
    if (found == words->end() || found->word != word)
        return false;
    out = *found;
    return true;
}

WordState Store::word(uint64_t word, uint64_t n, uint64_t since) const {
    WordState state;
    auto add = [&](uint64_t value, uint8_t bits, uint64_t event, uint32_t site, bool initial) {
        uint8_t fresh = bits & ~state.mask;
        if (!fresh)
            return;
        if (!state.mask) {
            state.event = event;
            state.site = site;
            state.initial = initial;
        }
        for (unsigned byte = 0; byte < 8; ++byte)
            if (fresh >> byte & 1)
                state.value |= value & uint64_t(0xff) << (8 * byte);
        state.mask |= fresh;
    };
    const Keyframe *keyframe = keyframe_before(n);
    std::vector<Version> found;
    // Says whether to look further back.
    auto look = [&](uint32_t chunk) {
        const ChunkHeader &h = header(chunk);
        if (h.first_event > n)
            return true;
        if (keyframe && chunk < keyframe->chunk) {
            KeyWord key;
            bool has = from_keyframe(*keyframe, word, key);
            // Words that are not in the keyframe held nothing that was alive then. Where several
            // writes share a word, only the last one is known there: go on for the others, unless
            // births and deaths made sure that all of them are the node's own.
            if (!has || key.event < since)
                return false;
            if (!key.mixed || discovered_->lists().empty()) {
                add(key.value, key.mask, key.event, key.site, key.site == 0);
                return false;
            }
            keyframe = nullptr;
        }
        if (h.first_event + h.events < since)
            return false;
        word_in_chunk(chunk, word, n, found);
        for (auto version = found.rbegin(); version != found.rend(); ++version) {
            if (version->event < since)
                return false;
            unsigned first = unsigned(std::max(version->address, word * 8) - word * 8);
            unsigned size = unsigned(std::min<uint64_t>(version->size, 8 - first));
            add(version->value << (8 * first), shape_mask(make_shape(first, size)), version->event,
                version->site, version->initial);
        }
        return state.mask != 0xff;
    };
    for (size_t group = words_->groups(); group-- > 0;) {
        if (header(event_chunks_[group * WordIndex::group_chunks]).first_event > n)
            continue;
        auto chunks = chunks_with(group, word, word);
        for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk)
            if (!look(*chunk))
                return state;
    }
    return state;
}

std::vector<uint32_t> Store::chunks_with(size_t group, uint64_t first_word,
                                         uint64_t last_word) const {
    uint64_t bits = words_->chunks(group, first_word / page_words, first_word % page_words,
                                   last_word % page_words);
    std::vector<uint32_t> chunks;
    for (; bits; bits &= bits - 1) {
        size_t index = group * WordIndex::group_chunks + size_t(std::countr_zero(bits));
        if (index < event_chunks_.size())
            chunks.push_back(event_chunks_[index]);
    }
    return chunks;
}

std::optional<Version> Store::last_silent(uint64_t address, uint64_t first, uint64_t last) const {
    uint64_t word = address / 8;
    std::vector<Version> found;
    for (size_t group = words_->groups(); group-- > 0;) {
        std::vector<uint32_t> chunks = chunks_with(group, word, word);
        std::sort(chunks.rbegin(), chunks.rend());
        for (uint32_t chunk : chunks) {
            const ChunkHeader &h = header(chunk);
            if (h.first_event + h.events < first || h.first_event > last)
                continue;
            found.clear();
            slots_of(chunk, word, word, first, last, Segments::passing, found);
            ranges_of(chunk, address, 1, first, last, found);
            std::ranges::stable_sort(found, {}, &Version::order);
            for (auto version = found.rbegin(); version != found.rend(); ++version)
                if (version->address <= address && address < version->address + version->size &&
                    !version->initial && version->site && !is_change(version->event))
                    return *version;
        }
    }
    return std::nullopt;
}

std::vector<Version> Store::versions(uint64_t address, uint64_t size, uint64_t first,
                                     uint64_t last) const {
    std::vector<uint32_t> chunks;
    uint64_t first_word = address / 8, last_word = (address + size - 1) / 8;
    for (uint64_t page = first_word / page_words; page <= last_word / page_words; ++page)
        for (size_t group = 0; group < words_->groups(); ++group)
            for (uint32_t chunk :
                 chunks_with(group, std::max(first_word, page * page_words),
                             std::min(last_word, page * page_words + page_words - 1))) {
                const ChunkHeader &h = header(chunk);
                if (h.first_event + h.events >= first && h.first_event <= last)
                    chunks.push_back(chunk);
            }
    std::sort(chunks.begin(), chunks.end());
    chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
    std::vector<std::vector<Version>> found(chunks.size());
    auto look = [&](size_t i) {
        std::vector<Version> &in = found[i];
        slots_of(chunks[i], first_word, last_word, first, last, Segments::passing, in);
        ranges_of(chunks[i], address, size, first, last, in);
        std::erase_if(in, [&](const Version &v) {
            return v.address >= address + size || v.address + v.size <= address;
        });
        std::ranges::stable_sort(in, {},
                                 [](const Version &v) { return std::pair(v.order, v.address); });
    };
    constexpr size_t worth_threads = 8;
    if (chunks.size() < worth_threads)
        for (size_t i = 0; i < chunks.size(); ++i)
            look(i);
    else
        in_parallel(chunks.size(), look);
    std::vector<Version> out;
    for (const std::vector<Version> &in : found)
        out.insert(out.end(), in.begin(), in.end());
    return out;
}

} // namespace heapstory
