// Every version of every word of some nodes, put together byte by byte: what a word held after each
// write to it, however little of it was written.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace heapstory {

// A write to a word, and what the word held after it.
struct WordVersion {
    uint64_t event = 0;
    uint64_t value = 0;   // bytes that are not known are zero
    uint32_t site = 0;    // 0: from before the recording, or zeroed by the allocator
    uint8_t mask = 0;     // bytes that are known, one bit each
    bool initial = false; // stands before the event

    // How many events had happened once it was stored.
    uint64_t stored() const { return event + !initial; }
};

// A node whose words are asked for, as large as it ever was.
struct NodeMemory {
    uint64_t id = 0;
    NodeRow row;
};
NodeMemory memory_of(const Store &store, uint64_t node);

class WordHistories {
  public:
    // What a word held after the events before, as far back as event `since`.
    using Before = std::function<WordState(uint64_t word, uint64_t since)>;
    // Of events first <= event < last. What stood before them comes first, as one version. Words
    // that the allocator zeroed and nobody wrote are shown in nodes of up to `zeroed_words` words.
    WordHistories(const Store &store, uint64_t first, uint64_t last, uint64_t zeroed_words);
    // Where much is asked: instead of looking one word up after the other.
    void set_before(Before before) { before_ = std::move(before); }

    // Which nodes, by their place in the list, and which of their words (address / 8). Words that
    // were never written are left out.
    using Visit =
        std::function<void(size_t node, uint64_t word, std::span<const WordVersion> versions)>;
    // Nodes in pieces, which several threads read: `begin` gives what visits the nodes of a piece,
    // in order of address. Nodes are sorted by address.
    using Begin = std::function<Visit(size_t piece)>;
    struct Piece {
        size_t first = 0, end = 0;             // nodes
        uint64_t low = ~uint64_t(0), high = 0; // words
    };
    std::vector<Piece> cut(std::span<const NodeMemory> nodes) const;
    // Reads all writes of the events at once, where they are few, for whatever is asked for later.
    void gather_all();
    void read(std::span<const NodeMemory> nodes, const std::vector<Piece> &pieces,
              const Begin &begin) const;

  private:
    struct Write {
        uint64_t word = 0;
        WordVersion made; // value and mask: of the written bytes alone
    };
    std::vector<Write> writes_of(const Piece &piece) const; // by word, then time
    std::span<const Write> gathered_of(const Piece &piece) const;
    void gather_few(const Piece &piece, std::vector<Write> &out) const;
    void gather_many(const Piece &piece, std::vector<Write> &out) const;
    void gather_chunk(uint32_t chunk, const Piece &piece, std::vector<Write> &out) const;
    void gather_ranges(uint32_t chunk, const Piece &piece, size_t slots,
                       std::vector<Write> &out) const;
    void add_range(const Version &version, std::vector<Write> &out) const;
    void fold(const NodeMemory &node, size_t number, std::span<const Write> writes,
              std::vector<WordVersion> &versions, const Visit &visit) const;

    const Store &store_;
    uint64_t first_, last_;
    uint64_t zeroed_words_;
    Before before_;
    bool gathered_ = false;
    std::vector<Write> all_; // once they were gathered
};

} // namespace heapstory
