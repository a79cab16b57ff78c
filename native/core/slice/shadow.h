// What is known of every byte of memory, where neighbours share it as long as they can.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heapstory::slice {

// A page begins with a cell for every 8 bytes; an access to a part of such a cell divides the
// page's cells, once into 4 bytes and once into single ones.
template <class Cell> class Shadow {
  public:
    // Visits the cells of some bytes: the address of the first byte and the cell.
    template <class Visit> void each(uint64_t address, uint64_t size, Visit visit) {
        const uint64_t end = address + size;
        while (address < end) {
            Page &page = page_of(address);
            const uint64_t upto = std::min(end, (address / page_size + 1) * page_size);
            page.divide(unsigned(address | upto));
            for (; address < upto; address += uint64_t(1) << page.shift)
                visit(address, page.cells[address % page_size >> page.shift]);
        }
    }
    // Nothing is known of these bytes any more. Both ends are multiples of 8.
    void forget(uint64_t address, uint64_t size) {
        const uint64_t end = address + size;
        while (address < end) {
            const uint64_t upto = std::min(end, (address / page_size + 1) * page_size);
            if (auto found = pages_.find(address / page_size); found != pages_.end()) {
                Page &page = *found->second;
                const auto first = page.cells.begin() + long(address % page_size >> page.shift);
                std::fill_n(first, (upto - address) >> page.shift, Cell());
            }
            address = upto;
        }
    }

  private:
    static constexpr uint64_t page_size = 1024;

    struct Page {
        unsigned shift = 3;
        std::vector<Cell> cells = std::vector<Cell>(page_size >> 3);

        // Makes the cells small enough for an access that begins and ends at these bits.
        void divide(unsigned bits) {
            const unsigned wanted = bits & 3 ? 0 : bits & 4 ? 2 : 3;
            if (wanted >= shift)
                return;
            std::vector<Cell> divided(page_size >> wanted);
            for (size_t i = 0; i < divided.size(); ++i)
                divided[i] = cells[i >> (shift - wanted)];
            cells = std::move(divided);
            shift = wanted;
        }
    };

    Page &page_of(uint64_t address) {
        const uint64_t number = address / page_size;
        Recent &recent = recent_[number % recent_.size()];
        if (recent.number != number || !recent.page) {
            std::unique_ptr<Page> &page = pages_[number];
            if (!page)
                page = std::make_unique<Page>();
            recent = {number, page.get()};
        }
        return *recent.page;
    }

    struct Recent {
        uint64_t number = 0;
        Page *page = nullptr;
    };
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    std::array<Recent, 256> recent_;
};

} // namespace heapstory::slice
