// Something small for each page of the address space, most of which is empty.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/container/bytes.h"

#include <cstdint>
#include <memory>

namespace heapstory {

template <class T> class PageMap {
  public:
    PageMap() : leaves_(std::make_unique<std::unique_ptr<T[]>[]>(leaves)) {}

    // Null where nothing near was ever put.
    const T *find(uint64_t page) const {
        const T *leaf = page < pages ? leaves_[page / leaf_pages].get() : nullptr;
        return leaf ? &leaf[page % leaf_pages] : nullptr;
    }
    T &get(uint64_t page) {
        if (page >= pages)
            throw FormatError("damaged address");
        auto &leaf = leaves_[page / leaf_pages];
        if (!leaf)
            leaf = std::make_unique<T[]>(leaf_pages);
        return leaf[page % leaf_pages];
    }

  private:
    static constexpr uint64_t leaf_pages = uint64_t(1) << 14, leaves = uint64_t(1) << 14;
    static constexpr uint64_t pages = leaf_pages * leaves; // of 4 KiB: 40 bits of address
    std::unique_ptr<std::unique_ptr<T[]>[]> leaves_;
};

} // namespace heapstory
