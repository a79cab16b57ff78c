// The bytes of memory that a slice is still looking for, or has reached.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace heapstory::slice {

// A bit for every byte, in pages that are made when first needed. Most questions are about pages
// that there are not, and are answered by one look into the table.
class LiveMemory {
  public:
    LiveMemory() : table_(initial) {}

    bool meets(uint64_t address, uint64_t size) const {
        return any(address, size, [&](uint64_t page, unsigned first, unsigned count) {
            const Page *found = find(page);
            return found && found->meets(first, count);
        });
    }
    bool has(uint64_t address) const { return meets(address, 1); }
    void add(uint64_t address, uint64_t size) {
        any(address, size, [&](uint64_t page, unsigned first, unsigned count) {
            bytes_ += make(page).set(first, count);
            return false;
        });
    }
    void remove(uint64_t address, uint64_t size) {
        any(address, size, [&](uint64_t page, unsigned first, unsigned count) {
            if (Page *found = find(page))
                bytes_ -= found->clear(first, count);
            return false;
        });
    }
    // What of `size` bytes at `from` is live becomes live at `to` instead.
    void move(uint64_t from, uint64_t to, uint64_t size) {
        std::vector<uint64_t> found;
        for (uint64_t i = 0; i < size; ++i)
            if (has(from + i))
                found.push_back(i);
        remove(from, size);
        for (uint64_t i : found)
            add(to + i, 1);
    }
    uint64_t bytes() const { return bytes_; }
    bool operator==(const LiveMemory &other) const {
        return bytes_ == other.bytes_ &&
               std::all_of(table_.begin(), table_.end(), [&](const Entry &entry) {
                   if (entry.page == none || pages_[entry.index].empty())
                       return true;
                   const Page *found = other.find(entry.page);
                   return found && found->bits == pages_[entry.index].bits;
               });
    }
    // Gives back pages in which nothing is left.
    void tidy() {
        LiveMemory kept;
        for (const Entry &entry : table_)
            if (entry.page != none && !pages_[entry.index].empty())
                kept.make(entry.page) = pages_[entry.index];
        kept.bytes_ = bytes_;
        *this = std::move(kept);
    }
    template <class Visit> void each_byte(Visit visit) const {
        for (const Entry &entry : table_)
            if (entry.page != none)
                for (unsigned i = 0; i < page_size; ++i)
                    if (pages_[entry.index].bits[i / 64] >> (i % 64) & 1)
                        visit(entry.page * page_size + i);
    }

  private:
    static constexpr unsigned page_size = 4096;
    static constexpr size_t initial = 1024;
    static constexpr uint64_t none = ~uint64_t(0);

    struct Page {
        std::array<uint64_t, page_size / 64> bits{};

        // The bits of word `i` that lie in [first, end).
        static uint64_t mask(unsigned i, unsigned first, unsigned end) {
            unsigned low = std::max(first, i * 64) - i * 64,
                     high = std::min(end, i * 64 + 64) - i * 64;
            uint64_t upto = high == 64 ? ~uint64_t(0) : (uint64_t(1) << high) - 1;
            return upto & ~((uint64_t(1) << low) - 1);
        }
        bool empty() const { return bits == std::array<uint64_t, page_size / 64>{}; }
        bool meets(unsigned first, unsigned count) const {
            uint64_t common = 0;
            for (unsigned i = first / 64; i <= (first + count - 1) / 64; ++i)
                common |= bits[i] & mask(i, first, first + count);
            return common;
        }
        unsigned set(unsigned first, unsigned count) {
            unsigned more = 0;
            for (unsigned i = first / 64; i <= (first + count - 1) / 64; ++i) {
                uint64_t wanted = mask(i, first, first + count);
                more += unsigned(std::popcount(wanted & ~bits[i]));
                bits[i] |= wanted;
            }
            return more;
        }
        unsigned clear(unsigned first, unsigned count) {
            unsigned fewer = 0;
            for (unsigned i = first / 64; i <= (first + count - 1) / 64; ++i) {
                uint64_t wanted = mask(i, first, first + count);
                fewer += unsigned(std::popcount(wanted & bits[i]));
                bits[i] &= ~wanted;
            }
            return fewer;
        }
    };
    struct Entry {
        uint64_t page = none;
        uint32_t index = 0;
    };

    // Asks for each page that a range touches until the answer is yes.
    template <class Ask> static bool any(uint64_t address, uint64_t size, Ask ask) {
        while (size) {
            auto first = unsigned(address % page_size);
            auto count = unsigned(std::min<uint64_t>(size, page_size - first));
            if (ask(address / page_size, first, count))
                return true;
            address += count;
            size -= count;
        }
        return false;
    }
    size_t slot(uint64_t page) const {
        size_t at = (page * 0x9E3779B97F4A7C15u >> 20) & (table_.size() - 1);
        while (table_[at].page != page && table_[at].page != none)
            at = (at + 1) & (table_.size() - 1);
        return at;
    }
    const Page *find(uint64_t page) const {
        const Entry &entry = table_[slot(page)];
        return entry.page == none ? nullptr : &pages_[entry.index];
    }
    Page *find(uint64_t page) { return const_cast<Page *>(std::as_const(*this).find(page)); }
    Page &make(uint64_t page) {
        size_t at = slot(page);
        if (table_[at].page == none) {
            if (2 * (pages_.size() + 1) > table_.size()) {
                grow();
                at = slot(page);
            }
            table_[at] = {page, uint32_t(pages_.size())};
            pages_.emplace_back();
        }
        return pages_[table_[at].index];
    }
    void grow() {
        std::vector<Entry> old(2 * table_.size());
        old.swap(table_);
        for (const Entry &entry : old)
            if (entry.page != none)
                table_[slot(entry.page)] = entry;
    }

    std::vector<Entry> table_;
    std::vector<Page> pages_;
    uint64_t bytes_ = 0;
};

} // namespace heapstory::slice
