// Finds the live node that holds an address, for graphs with millions of pointers.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heapstory {

class LiveIndex {
  public:
    static constexpr uint32_t none = ~uint32_t(0);

    // Nodes must come in order of address; `number` is what find returns.
    void add(uint64_t address, uint64_t size, uint32_t number) {
        nested_ |= !entries_.empty() && address < entries_.back().end;
        entries_.push_back({address, address + std::max<uint64_t>(size, 1), number});
    }
    void finish() {
        if (entries_.empty())
            return;
        first_page_ = entries_.front().start >> page_bits;
        uint64_t pages = (entries_.back().start >> page_bits) - first_page_ + 1;
        if (pages > most_pages)
            return; // find falls back to searching them all
        before_.resize(pages + 1);
        for (const Entry &entry : entries_)
            ++before_[(entry.start >> page_bits) - first_page_ + 1];
        for (size_t i = 1; i < before_.size(); ++i)
            before_[i] += before_[i - 1];
    }
    // The innermost node that holds the address.
    uint32_t find(uint64_t address) const {
        size_t low = 0, high = entries_.size();
        if (!before_.empty()) {
            uint64_t page = (address >> page_bits) - first_page_;
            if (address >> page_bits < first_page_)
                return none;
            if (page + 1 < before_.size()) {
                low = before_[page];
                high = before_[page + 1];
            }
        }
        auto after = std::upper_bound(entries_.begin() + std::ptrdiff_t(low),
                                      entries_.begin() + std::ptrdiff_t(high), address,
                                      [](uint64_t a, const Entry &e) { return a < e.start; });
        // Usually the one before. With nesting, an enclosing node may start further down.
        for (size_t i = size_t(after - entries_.begin()), steps = 0; i > 0; --i, ++steps) {
            if (address < entries_[i - 1].end)
                return entries_[i - 1].number;
            if (!nested_ || steps >= most_nested)
                break;
        }
        return none;
    }

  private:
    static constexpr unsigned page_bits = 12;
    static constexpr uint64_t most_pages = uint64_t(1) << 26;
    static constexpr size_t most_nested = 100000;
    struct Entry {
        uint64_t start, end;
        uint32_t number;
    };
    std::vector<Entry> entries_;
    std::vector<uint32_t> before_; // entries that start on lower pages
    uint64_t first_page_ = 0;
    bool nested_ = false;
};

} // namespace heapstory
