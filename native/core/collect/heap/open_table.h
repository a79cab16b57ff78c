// A table of what is alive, by a key that is not 0.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapstory {

// Open addressing with linear probing; removal shifts back, so that probes stay short for ever.
// Pointers to entries hold until the next insert or erase.
template <class Entry, auto key> class OpenTable {
  public:
    OpenTable() : slots_(1024) {}

    size_t size() const { return size_; }
    Entry *find(uint64_t wanted) {
        for (size_t i = start(wanted);; i = next(i)) {
            uint64_t found = slots_[i].*key;
            if (!found)
                return nullptr;
            if (found == wanted)
                return &slots_[i];
        }
    }
    void insert(const Entry &entry) {
        if (size_ * 2 >= slots_.size())
            grow();
        put(entry);
        ++size_;
    }
    void erase(Entry *entry) {
        size_t hole = size_t(entry - slots_.data());
        for (size_t i = next(hole); slots_[i].*key; i = next(i)) {
            size_t home = start(slots_[i].*key);
            bool stays = hole <= i ? hole < home && home <= i : hole < home || home <= i;
            if (!stays) {
                slots_[hole] = slots_[i];
                hole = i;
            }
        }
        slots_[hole] = {};
        --size_;
    }
    template <class Visit> void for_each(Visit visit) const {
        for (const Entry &entry : slots_)
            if (entry.*key)
                visit(entry);
    }

  private:
    size_t start(uint64_t wanted) const {
        return (wanted * 0x9e3779b97f4a7c15ull) >> (64 - std::countr_zero(slots_.size()));
    }
    size_t next(size_t i) const { return (i + 1) & (slots_.size() - 1); }
    void put(const Entry &entry) {
        size_t i = start(entry.*key);
        while (slots_[i].*key)
            i = next(i);
        slots_[i] = entry;
    }
    void grow() {
        std::vector<Entry> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Entry &entry : old)
            if (entry.*key)
                put(entry);
    }

    std::vector<Entry> slots_; // a power of two
    size_t size_ = 0;
};

} // namespace heapstory
