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
    OpenTable() : places_(1024) {}

    size_t size() const { return size_; }
    Entry *find(uint64_t wanted) {
        for (size_t i = start(wanted);; i = next(i)) {
            uint64_t found = places_[i].*key;
            if (!found)
                return nullptr;
            if (found == wanted)
                return &places_[i];
        }
    }
    void insert(const Entry &entry) {
        if (size_ * 2 >= places_.size())
            grow();
        place(entry);
        ++size_;
    }
    void erase(Entry *entry) {
        size_t hole = size_t(entry - places_.data());
        for (size_t i = next(hole); places_[i].*key; i = next(i)) {
            size_t home = start(places_[i].*key);
            bool stays = hole <= i ? hole < home && home <= i : hole < home || home <= i;
            if (!stays) {
                places_[hole] = places_[i];
                hole = i;
            }
        }
        places_[hole] = {};
        --size_;
    }
    template <class Visit> void for_each(Visit visit) const {
        for (const Entry &entry : places_)
            if (entry.*key)
                visit(entry);
    }

  private:
    size_t start(uint64_t wanted) const {
        return (wanted * 0x9e3779b97f4a7c15ull) >> (64 - std::countr_zero(places_.size()));
    }
    size_t next(size_t i) const { return (i + 1) & (places_.size() - 1); }
    void place(const Entry &entry) {
        size_t i = start(entry.*key);
        while (places_[i].*key)
            i = next(i);
        places_[i] = entry;
    }
    void grow() {
        std::vector<Entry> old(places_.size() * 2);
        old.swap(places_);
        for (const Entry &entry : old)
            if (entry.*key)
                place(entry);
    }

    std::vector<Entry> places_; // a power of two
    size_t size_ = 0;
};

} // namespace heapstory
