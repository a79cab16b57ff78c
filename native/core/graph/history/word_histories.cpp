// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/history/word_histories.h"

#include "store/parallel.h"

#include <algorithm>

namespace heapstory {

namespace {

// The bits of the bytes that a mask names.
uint64_t bits_of(uint8_t mask) {
    uint64_t bits = 0;
    for (unsigned byte = 0; byte < 8; ++byte)
        if (mask >> byte & 1)
            bits |= uint64_t(0xff) << (8 * byte);
    return bits;
}

// Value and mask: of the written bytes alone.
WordVersion make_write(uint64_t event, uint32_t site, bool initial, uint8_t shape, uint64_t value) {
    return {event, value << (8 * shape_first(shape)), site, shape_mask(shape), initial};
}

// Pieces with more words than this are searched for in all chunks, without the index of words.
constexpr uint64_t many_words = 64 * page_words;

uint64_t end_word(const NodeRow &row) {
    return (row.address + row.size + 7) / 8;
}

} // namespace

WordHistories::WordHistories(const Store &store, uint64_t first, uint64_t last,
                             uint64_t zeroed_words)
    : store_(store), first_(first), last_(last), zeroed_words_(zeroed_words),
      before_([&store, first](uint64_t word, uint64_t since) {
          return store.word(word, first, since);
      }) {}

NodeMemory memory_of(const Store &store, uint64_t node) {
    NodeMemory memory{node, store.nodes().get(node)};
    store.discovered().restore(node, memory.row, memory.row.birth);
    return memory;
}

// Neighbours are read together, as far as the memory for their writes goes.
std::vector<WordHistories::Piece> WordHistories::cut(std::span<const NodeMemory> nodes) const {
    constexpr uint64_t near_words = page_words, most_writes = uint64_t(1) << 20;
    uint64_t covered = 0;
    for (const NodeMemory &node : nodes)
        covered += node.row.size / 8 + 1;
    uint64_t share =
        covered * most_writes / std::max<uint64_t>(store_.totals().slots, 1) / workers() + 1;
    std::vector<Piece> pieces;
    uint64_t words = 0;
    for (size_t index = 0; index < nodes.size(); ++index) {
        const NodeRow &row = nodes[index].row;
        uint64_t low = row.address / 8;
        if (pieces.empty() || low > pieces.back().high + near_words ||
            (words > share && low >= pieces.back().high)) {
            pieces.push_back({index, index});
            words = 0;
        }
        Piece &piece = pieces.back();
        piece.end = index + 1;
        piece.low = std::min(piece.low, low);
        piece.high = std::max(piece.high, end_word(row));
        words += row.size / 8 + 1;
    }
    return pieces;
}

void WordHistories::add_range(const Version &version, std::vector<Write> &out) const {
    const Bytes bytes = store_.bytes(version);
    for (uint64_t at = version.address, end = at + version.size; at < end;) {
        unsigned size = unsigned(std::min(end, at / 8 * 8 + 8) - at);
        uint64_t value = 0;
        std::memcpy(&value, bytes.data() + (at - version.address), size);
        out.push_back({at / 8, make_write(version.event, version.site, version.initial,
                                          make_shape(unsigned(at % 8), size), value)});
        at += size;
    }
}

// Few words: from where the index of words says they are.
void WordHistories::gather_few(const Piece &piece, std::vector<Write> &out) const {
    for (const Version &version :
         store_.versions(piece.low * 8, (piece.high - piece.low) * 8, first_, last_))
        if (version.range != Version::slot)
            add_range(version, out);
        else
            out.push_back(
                {version.address / 8,
                 make_write(version.event, version.site, version.initial,
                            make_shape(unsigned(version.address % 8), unsigned(version.size)),
                            version.value)});
}

// Many words: all slots of the piece, chunk by chunk.
void WordHistories::gather_many(const Piece &piece, std::vector<Write> &out) const {
    for (uint32_t chunk : store_.event_chunks())
        gather_chunk(chunk, piece, out);
}

// By word, then time; by time alone where the chunk has long stores.
void WordHistories::gather_chunk(uint32_t chunk, const Piece &piece,
                                 std::vector<Write> &out) const {
    const ChunkHeader &header = store_.header(chunk);
    if (header.first_event + header.events < first_ || header.first_event > last_)
        return;
    const EventsView view = store_.events(chunk);
    const size_t before = out.size();
    std::vector<Slot> slots;
    for (const SlotSegment &segment : view.segments()) {
        if (segment.last_word < piece.low || segment.first_word >= piece.high)
            continue;
        decode_words(segment, view.slots(), piece.low, piece.high - 1, slots);
        for (const Slot &slot : slots)
            if (uint64_t event = header.first_event + slot.event;
                slot.word - piece.low < piece.high - piece.low && event - first_ < last_ - first_)
                out.push_back(
                    {slot.word, make_write(event, slot.site, false, slot.shape, slot.value)});
    }
    gather_ranges(chunk, piece, before, out);
}

// The long ranged stores of a chunk, and with them its writes, the last ones, in order of time.
void WordHistories::gather_ranges(uint32_t chunk, const Piece &piece, size_t slots,
                                  std::vector<Write> &out) const {
    const auto found = store_.ranges(chunk);
    const uint64_t base = store_.header(chunk).first_event, before = out.size();
    for (uint32_t number = 0; number < found->ranges.size(); ++number) {
        const Range &range = found->ranges[number];
        Version version;
        version.event = base + range.event;
        version.initial = range.is_initial;
        version.address = std::max(piece.low * 8, range.address);
        uint64_t end = std::min(piece.high * 8, range.address + range.length);
        if (version.address >= end || version.event < first_ ||
            version.event >= last_ + version.initial)
            continue;
        version.size = end - version.address;
        version.site = range.site;
        version.chunk = chunk;
        version.range = number;
        add_range(version, out);
    }
    if (out.size() > before)
        std::stable_sort(
            out.begin() + ptrdiff_t(slots), out.end(), [](const Write &a, const Write &b) {
                return a.made.stored() != b.made.stored() ? a.made.stored() < b.made.stored()
                                                          : a.made.initial < b.made.initial;
            });
}

namespace {

// By word; they come in order of time. Counting is faster than comparing where words are many.
template <class Write> void sort_by_word(std::vector<Write> &writes, uint64_t low, uint64_t high) {
    if (high - low > 4 * writes.size()) {
        std::ranges::stable_sort(writes, {}, &Write::word);
        return;
    }
    std::vector<uint32_t> next(high - low + 1);
    for (const Write &write : writes)
        ++next[write.word - low + 1];
    for (size_t i = 1; i < next.size(); ++i)
        next[i] += next[i - 1];
    std::vector<Write> sorted(writes.size());
    for (const Write &write : writes)
        sorted[next[write.word - low]++] = write;
    writes.swap(sorted);
}

} // namespace

std::vector<WordHistories::Write> WordHistories::writes_of(const Piece &piece) const {
    std::vector<Write> writes;
    if (piece.low >= piece.high)
        return writes;
    if (piece.high - piece.low > many_words)
        gather_many(piece, writes);
    else
        gather_few(piece, writes);
    sort_by_word(writes, piece.low, piece.high);
    return writes;
}

void WordHistories::gather_all() {
    auto [low, high] = store_.nodes().bounds();
    const Piece piece{0, 0, low / 8, high / 8 + 1};
    for (uint32_t chunk : store_.event_chunks()) {
        const auto before = ptrdiff_t(all_.size());
        gather_chunk(chunk, piece, all_);
        // By word already, unless the chunk has long stores.
        const std::ranges::subrange fresh(all_.begin() + before, all_.end());
        if (!std::ranges::is_sorted(fresh, {}, &Write::word))
            std::ranges::stable_sort(fresh, {}, &Write::word);
        std::ranges::inplace_merge(all_, all_.begin() + before, {}, &Write::word);
    }
    gathered_ = true;
}

std::span<const WordHistories::Write> WordHistories::gathered_of(const Piece &piece) const {
    return {std::ranges::lower_bound(all_, piece.low, {}, &Write::word),
            std::ranges::lower_bound(all_, piece.high, {}, &Write::word)};
}

void WordHistories::read(std::span<const NodeMemory> nodes, const std::vector<Piece> &pieces,
                         const Begin &begin) const {
    in_parallel(pieces.size(), [&](size_t number) {
        const Piece &piece = pieces[number];
        std::vector<Write> read;
        if (!gathered_)
            read = writes_of(piece);
        const std::span<const Write> writes = gathered_ ? gathered_of(piece) : read;
        const Visit visit = begin(number);
        std::vector<WordVersion> versions;
        for (size_t index = piece.first; index < piece.end; ++index)
            fold(nodes[index], index, writes, versions, visit);
    });
}

void WordHistories::fold(const NodeMemory &node, size_t number, std::span<const Write> writes,
                         std::vector<WordVersion> &versions, const Visit &visit) const {
    const NodeRow &row = node.row;
    if (row.birth > last_)
        return;
    const bool zeroed = row.flags & Birth::zeroed, uneven = row.flags & Birth::in_place;
    const uint64_t last = row.death > last_ ? last_ : row.death - row.is_event();
    uint64_t since = store_.contents_since(node.id, row, row.address);
    // Words that nobody wrote hold something all the same if they were zeroed or written before.
    const bool all =
        (zeroed && row.size / 8 <= zeroed_words_) || (since < first_ && row.death > first_);
    auto write = std::ranges::lower_bound(writes, row.address / 8, {}, &Write::word);
    for (uint64_t word = row.address / 8; word < end_word(row); ++word) {
        if (!all && write == writes.end())
            return;
        if (!all && (word = write->word) >= end_word(row))
            return;
        if (uneven)
            since = store_.contents_since(node.id, row, std::max(word * 8, row.address));
        versions.clear();
        if (since < first_ && row.death > first_) {
            WordState state = before_(word, since);
            if (state.mask)
                versions.push_back(
                    {state.event, state.value, state.site, state.mask, state.initial});
        }
        if (versions.empty() && zeroed)
            versions.push_back({row.birth, 0, 0, 0xff, true});
        for (; write != writes.end() && write->word == word; ++write) {
            WordVersion made = write->made;
            if (made.event < std::max(since, first_) || made.event >= last + made.initial)
                continue;
            if (!versions.empty()) {
                const WordVersion &before = versions.back();
                made.value |= before.value & ~bits_of(made.mask);
                made.mask |= before.mask;
            }
            made.mask |= zeroed ? 0xff : 0;
            versions.push_back(made);
        }
        if (!versions.empty())
            visit(number, word, versions);
    }
}

} // namespace heapstory
