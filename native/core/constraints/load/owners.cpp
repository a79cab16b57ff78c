// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/load/owners.h"

#include "format/container/bytes.h"

#include <new>
#include <sys/mman.h>

namespace heapstory::constraints {

namespace {

template <class Visit> void for_each_word(const Lifetime &block, Visit visit) {
    uint64_t last = (block.address + std::max<uint64_t>(block.size, 1) - 1) / 8;
    for (uint64_t word = block.address / 8; word <= last; ++word)
        visit(word);
}

} // namespace

Owners::Owners(const std::vector<Lifetime> &blocks) : blocks_(blocks) {
    void *map = mmap(nullptr, pages * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        throw std::bad_alloc();
    table_ = static_cast<uint32_t *>(map);
    first_.assign(1, 0);
    uint64_t low = pages, high = 0;
    for (const Lifetime &block : blocks) {
        for_each_word(block, [&](uint64_t word) { ++entry(word); });
        low = std::min(low, block.address / 8 / page_words);
        high = std::max(high, (block.address + block.size) / 8 / page_words);
    }
    // Counts become ends, then, while the owners are filled in from the last, beginnings.
    uint32_t total = 0;
    for (uint32_t &count : first_)
        total = count += total;
    owners_.resize(total);
    for (uint32_t block = uint32_t(blocks.size()); block-- > 0;)
        for_each_word(blocks[block],
                      [&](uint64_t word) { owners_[--first_[number(word)]] = block; });
    uint64_t half = first_.size() / page_words / 2, seen = 0;
    for (uint64_t page = low; page <= high && page < pages && !middle_; ++page)
        if (table_[page] && seen++ == half)
            middle_ = page * page_words;
}

Owners::~Owners() {
    munmap(table_, pages * sizeof(uint32_t));
}

uint32_t &Owners::entry(uint64_t word) {
    if (word / page_words >= pages)
        throw FormatError("damaged address");
    uint32_t &page = table_[word / page_words];
    if (!page) {
        page = uint32_t(first_.size() / page_words) + 1;
        first_.resize(first_.size() + page_words);
    }
    return first_[(page - 1) * page_words + word % page_words];
}

Owners::Alive Owners::alive_after(uint32_t number, uint64_t n) const {
    const uint32_t *low = owners_.data() + first_[number];
    const uint32_t *high = owners_.data() + first_[number + 1];
    const uint32_t *after = high;
    if (high - low > 4)
        after = std::partition_point(low, high,
                                     [&](uint32_t block) { return blocks_[block].birth <= n; });
    else
        while (after > low && blocks_[after[-1]].birth > n)
            --after;
    uint64_t until = after < high ? blocks_[*after].birth : forever;
    for (; after > low; --after)
        if (const Lifetime &block = blocks_[after[-1]]; n < block.death)
            return {after[-1], std::min(until, block.death)};
    return {nobody, until};
}

uint32_t Owners::find(uint64_t address, uint64_t n) const {
    uint32_t word = number(address / 8);
    uint32_t block = word == nobody ? nobody : alive_after(word, n).block;
    if (block == nobody)
        return nobody;
    const Lifetime &found = blocks_[block];
    return address - found.address < std::max<uint64_t>(found.size, 1) ? block : nobody;
}

} // namespace heapstory::constraints
