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
template <class Entry, auto key, unsigned most_percent = 50> class OpenTable {
  public:
    OpenTable() : slots_(1024) {}

    size_t size() const { return size_; }
    size_t room() const { return slots_.size() * most_percent / 100; } // before it grows
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
        if (size_ >= room())
            grow();
        put(entry);
        ++size_;
    }
    // In place of the one with its key, if there is one. There must be room.
    Entry &set(const Entry &entry) {
        for (size_t i = start(entry.*key);; i = next(i)) {
            const uint64_t found = slots_[i].*key;
            if (found && found != entry.*key)
                continue;
            size_ += !found;
            return slots_[i] = entry;
        }
    }
    // It will be asked for soon.
    void fetch(uint64_t wanted) const { __builtin_prefetch(&slots_[start(wanted)], 1); }
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
    template <class Keep> void keep_if(Keep keep) { rebuild(slots_.size(), keep); }
    void grow() {
        rebuild(slots_.size() * 2, [](const Entry &) { return true; });
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
    template <class Keep> void rebuild(size_t slots, Keep keep) {
        std::vector<Entry> old(slots);
        old.swap(slots_);
        size_ = 0;
        for (const Entry &entry : old)
            if (entry.*key && keep(entry)) {
                put(entry);
                ++size_;
            }
    }

    std::vector<Entry> slots_; // a power of two
    size_t size_ = 0;
};

} // namespace heapstory
